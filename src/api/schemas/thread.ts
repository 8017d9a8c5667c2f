import { z } from '@hono/zod-openapi';
import { Time, listOf } from './common.ts';
import { THREAD_EXAMPLE } from './examples/run.ts';

export const ThreadSchema = z
  .object({
    id: z.string(),
    activeRunId: z.string().nullable().openapi({ description: 'The one run that is not over yet' }),
    lastRunId: z.string().openapi({ description: 'The run whose state is the state of the thread' }),
    queued: listOf(z.string()).openapi({ description: 'Runs that wait for their turn, the next one first' }),
    createdAt: Time,
    updatedAt: Time,
  })
  .openapi('Thread', { example: THREAD_EXAMPLE });
