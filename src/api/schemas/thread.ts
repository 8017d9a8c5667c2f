import { z } from '@hono/zod-openapi';
import { Time, listOf } from './common.ts';
import { ASKED_AT, DECIDED_AT, RUN_ID } from './examples/refund.ts';

const THREAD_EXAMPLE = {
  id: 'customer-17',
  activeRunId: RUN_ID,
  lastRunId: RUN_ID,
  queued: [],
  createdAt: ASKED_AT,
  updatedAt: DECIDED_AT,
};

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
