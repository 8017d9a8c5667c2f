import { CallError, defineTool } from 'holdfast';
import { z } from 'zod';

/* Three agencies with their books in memory. A call with the same key is one booking, however often it is sent. */

const bookings = new Map<string, string>();

function book(key: string, what: string) {
  const booking = bookings.get(key) ?? `${what}-${bookings.size + 1}`;
  bookings.set(key, booking);
  return { booking };
}

export const bookFlight = defineTool({
  name: 'book_flight',
  description: 'Books a flight to a city.',
  parameters: z.object({ city: z.string() }),
  effect: 'keyed',
  execute: (_, { key }) => book(key, 'F'),
});

export const bookHotel = defineTool({
  name: 'book_hotel',
  description: 'Books a room in a city for some nights.',
  parameters: z.object({ city: z.string(), nights: z.int().min(1) }),
  effect: 'keyed',
  execute: (_, { key }) => book(key, 'H'),
});

/** No car can be had on islands. */
export const rentCar = defineTool({
  name: 'rent_car',
  description: 'Rents a car in a city for some days.',
  parameters: z.object({ city: z.string(), days: z.int().min(1) }),
  effect: 'keyed',
  execute({ city }, { key }) {
    if (city === 'Capri')
      throw new CallError('TOOL_FAILED', `No car can be had in ${city}`, { retryable: false, done: 'no' });
    return book(key, 'C');
  },
});

/** Canceling what is canceled already does nothing, so it may be sent again. */
export const cancelBooking = defineTool({
  name: 'cancel_booking',
  description: 'Cancels a booking.',
  parameters: z.object({ booking: z.string() }),
  effect: 'idempotent',
  execute({ booking }, { logger }) {
    logger.info({ booking }, 'canceled');
    return { canceled: booking };
  },
});
