import { defineTool } from 'holdfast';
import { z } from 'zod';

export const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: z.object({ city: z.string() }),
  effect: 'idempotent',
  execute: ({ city }) => ({ city, sky: 'sunny' }),
});

/** A call that was lost midway may have booked, so it is not repeated automatically. A person approves each call. */
export const bookTrip = defineTool({
  name: 'book_trip',
  description: 'Books a trip.',
  parameters: z.object({ city: z.string(), euros: z.number().positive() }),
  effect: 'unsafe',
  approval: 'always',
  execute: ({ city, euros }) => ({ booked: city, euros }),
});
