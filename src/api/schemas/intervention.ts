import { z } from '@hono/zod-openapi';
import { aPage, GivenJson, NextCursor, RunErrorSchema, Time, listOf } from './common.ts';
import { INTERVENTION_EXAMPLE } from './examples/run.ts';

const ChoiceSchema = z.object({
  action: z.enum(['retry', 'skip', 'fail']),
  effect: z.string().openapi({ description: 'What that control does here' }),
});

/** The facts of an intervention, in a run and in the inbox. */
export const interventionFields = {
  id: z.string(),
  node: z.string(),
  since: Time,
  index: z.int().optional(),
  tool: z.string().optional(),
  args: GivenJson.openapi({ description: 'Of the failed call; null: there was none, or they are large' }),
  idempotencyKey: z.string().nullable(),
  error: RunErrorSchema,
  choices: listOf(ChoiceSchema),
};

export const InterventionSchema = z
  .object({ runId: z.string(), ...interventionFields })
  .openapi('Intervention', { example: INTERVENTION_EXAMPLE });

export const InterventionListSchema = z
  .object({ items: listOf(InterventionSchema), nextCursor: NextCursor })
  .openapi('InterventionList', { example: aPage(INTERVENTION_EXAMPLE) });
