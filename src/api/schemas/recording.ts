import { z } from '@hono/zod-openapi';
import { GivenRecord, listOf } from './common.ts';
import { RECORDING_EXAMPLE } from './examples/run.ts';

/** The form of a recording is the engine's own; `holdfast promote` makes a test of it. */
export const RecordingSchema = z
  .object({
    identity: GivenRecord.openapi({ description: 'Who started which graph, and the limits of the run' }),
    definition: GivenRecord.openapi({ description: 'The graph as the run has pinned it' }),
    catalog: GivenRecord.openapi({ description: 'Models, tools and functions as the run has pinned them' }),
    redaction: GivenRecord.openapi({ description: 'What callers without `payload:read` do not see of the run' }),
    begin: GivenRecord.openapi({ description: 'The input, or the state that a fork began with' }),
    events: listOf(GivenRecord),
    occurrences: listOf(GivenRecord).openapi({ description: 'What happened to the run, in order' }),
    answers: z.record(z.string(), GivenRecord).openapi({ description: 'The answers of its calls, by their keys' }),
  })
  .openapi('Recording', { example: RECORDING_EXAMPLE });
