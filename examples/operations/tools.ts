import { defineTool } from 'holdfast';
import { z } from 'zod';

/* A platform with its services in memory. */

const errors = new Map([['search', 41]]);

export const readMetrics = defineTool({
  name: 'read_metrics',
  description: 'The share of failed requests of a service in the last minutes, in percent.',
  parameters: z.object({ service: z.string() }),
  effect: 'idempotent',
  execute: ({ service }) => ({ failed: errors.get(service) ?? 0 }),
});

export const restart = defineTool({
  name: 'restart',
  description: 'Restarts a service.',
  parameters: z.object({ service: z.string() }),
  effect: 'idempotent',
  execute({ service }) {
    errors.delete(service);
    return { running: true };
  },
});
