import { END, START, StateGraph } from 'holdfast';

/** How each booking is undone. */
const CANCEL = { tool: 'cancel_booking', args: { booking: '{{ result.booking }}' } };

/** Books a flight, a hotel and a car. If one of them can't be had, what is booked by then is canceled, the latest first. */
export const trip = new StateGraph({
  name: 'trip',
  description: 'A saga: all of a trip is booked, or nothing.',
  channels: {
    city: { schema: { type: 'string' } },
    nights: { schema: { type: 'integer', minimum: 1 } },
    flight: {},
    hotel: {},
    car: {},
  },
  input: ['city', 'nights'],
  required: ['city', 'nights'],
  output: ['flight', 'hotel', 'car'],
  defaults: { retry: { maxAttempts: 3 } },
})
  .addNode('fly', {
    type: 'tool',
    tool: 'book_flight',
    args: { city: '{{ state.city }}' },
    write: { flight: '{{ result.booking }}' },
    compensate: CANCEL,
  })
  .addNode('stay', {
    type: 'tool',
    tool: 'book_hotel',
    args: { city: '{{ state.city }}', nights: '{{ state.nights }}' },
    write: { hotel: '{{ result.booking }}' },
    compensate: CANCEL,
  })
  .addNode('drive', {
    type: 'tool',
    tool: 'rent_car',
    args: { city: '{{ state.city }}', days: '{{ state.nights + 1 }}' },
    write: { car: '{{ result.booking }}' },
    compensate: CANCEL,
  })
  .addSequence([START, 'fly', 'stay', 'drive', END]);
