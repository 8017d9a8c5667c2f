import { defineTool } from 'holdfast';
import { z } from 'zod';

export const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody.',
  parameters: z.object({ name: z.string() }),
  effect: 'idempotent',
  execute: ({ name }) => `Hello ${name}`,
});
