import { after, runGraph } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { trip } from './graph.ts';
import { bookFlight, bookHotel, cancelBooking, rentCar } from './tools.ts';

const tools = { book_flight: bookFlight, book_hotel: bookHotel, rent_car: rentCar, cancel_booking: cancelBooking };

test('a trip is booked as a whole', async () => {
  const run = await runGraph(trip, { city: 'Rome', nights: 3 }, { tools });
  expect(run.status).toBe('completed');
  expect(run.path).toEqual(['fly', 'stay', 'drive']);
  expect(run.calls.map(({ name }) => name)).toEqual(['book_flight', 'book_hotel', 'rent_car']);
});

test('without a car the hotel is canceled, then the flight, and the run fails with the reason', async () => {
  const run = await runGraph(trip, { city: 'Capri', nights: 3 }, { tools });
  expect(run.status).toBe('failed');
  expect(run.error).toMatchObject({ node: 'drive', message: 'No car can be had in Capri' });
  const canceled = run.calls.filter(({ name }) => name === 'cancel_booking').map(({ args }) => args);
  expect(canceled).toEqual([{ booking: run.state.hotel }, { booking: run.state.flight }]);
});

test('a trip that is canceled while the hotel is asked is undone, the hotel included', async () => {
  const slow = { ...bookHotel, execute: () => after('5s', { booking: 'H-9' }) };
  const run = await runGraph(
    trip,
    { city: 'Rome', nights: 3 },
    { tools: { ...tools, book_hotel: slow }, signals: [{ signal: 'cancel', after: '1s' }] },
  );
  expect(run.status).toBe('canceled');
  const canceled = run.calls.filter(({ name }) => name === 'cancel_booking').map(({ args }) => args);
  expect(canceled).toEqual([{ booking: 'H-9' }, { booking: run.state.flight }]);
});
