import { defineConfig, defineTool } from 'holdfast';
import { z } from 'zod';

const make = defineTool({
  name: 'make',
  description: 'Makes a text of a length.',
  parameters: z.object({ length: z.number() }),
  effect: 'idempotent',
  execute: ({ length }) => 'x'.repeat(length),
});

const measure = defineTool({
  name: 'measure',
  description: 'Tells how long a text is.',
  parameters: z.object({ text: z.string() }),
  effect: 'idempotent',
  execute: ({ text }) => text.length,
});

export default defineConfig({ tools: [make, measure] });
