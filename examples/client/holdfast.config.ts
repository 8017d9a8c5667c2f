import { defineConfig, defineTool } from 'holdfast';
import { z } from 'zod';

const baseUrl = process.env['MODEL_URL'] ?? 'http://127.0.0.1:11434/v1';
const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: z.object({ city: z.string() }),
  effect: 'idempotent',
  execute: ({ city }) => ({ city, sky: 'sunny' }),
});
const bookTrip = defineTool({
  name: 'book_trip',
  description: 'Books a trip. An agent may do so when a person has approved it.',
  parameters: z.object({ city: z.string(), euros: z.number().positive() }),
  execute: ({ city, euros }) => ({ booked: city, euros }),
});
export default defineConfig({
  models: { default: { provider: 'openai-compatible', model: 'local', baseUrl } },
  tools: [weather, bookTrip],
  http: { allow: [new URL(baseUrl).host] },
});
