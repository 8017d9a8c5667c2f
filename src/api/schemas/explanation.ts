import { COUNTED_LIMITS } from '../../graph/definition/index.ts';
import { REASON_KINDS } from '../../wording/index.ts';
import { RunErrorSchema, Time, listOf, orNull } from './common.ts';
import { RunStatusSchema } from './run.ts';
import { APPROVAL_EXAMPLE, RUN_EXAMPLE } from './examples.ts';
import { z } from './zod.ts';

/* An explanation of the refund of the other examples while it waits. */

const { id: runId, workflowId } = RUN_EXAMPLE;
const { id: approvalId, requestedAt: since, expiresAt: deadline, title } = APPROVAL_EXAMPLE;
const WHY = `Node ask waits until ${deadline} for approver to decide: ${title}`;

const EXPLANATION_EXAMPLE = {
  runId,
  status: 'waiting',
  summary: WHY,
  since,
  reasons: [{ kind: 'approval', text: WHY, since, node: 'ask', id: approvalId, deadline }],
  budget: [{ limit: 'maxSteps', allowed: 25, used: 1, left: 24 }],
  deadline: null,
  actions: [
    {
      action: 'approve',
      effect: 'Approves what is asked.',
      who: 'approver',
      allowed: true,
      command: {
        curl: `curl -X POST "$HOLDFAST_URL/api/approvals/${approvalId}/decision" -H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json' -d '{"decision":"approve"}'`,
        holdfast: `npx holdfast approve ${approvalId}`,
        temporal: `temporal workflow signal --workflow-id ${workflowId} --name approve --input '{"approvalId":"${approvalId}"}'`,
      },
    },
  ],
};

const ReasonSchema = z.object({
  kind: z.enum(REASON_KINDS),
  text: z.string().openapi({ description: 'One sentence for people' }),
  since: Time,
  node: z.string().optional(),
  index: z.int().optional(),
  id: z.string().optional().openapi({ description: 'Of the approval, intervention or event that is awaited' }),
  deadline: Time.optional(),
  attempt: z.int().optional().openapi({ description: 'The number of the next attempt' }),
  nextAttemptAt: Time.nullable().optional().openapi({ description: 'Null: the attempt is made now' }),
  error: RunErrorSchema.optional(),
  calls: listOf(z.string()).optional().openapi({
    description: 'With `switched-off`: the keys of the calls that wait; those of models are not known yet',
  }),
});

const BudgetLineSchema = z.object({
  limit: z.enum(COUNTED_LIMITS),
  allowed: z.number(),
  used: z.number(),
  left: z.number(),
});

const CommandSchema = z.object({ curl: z.string(), holdfast: z.string(), temporal: z.string().nullable() }).openapi({
  description:
    'The same action three ways; null: not possible that way. `curl` reads address and token from `HOLDFAST_URL` and `HOLDFAST_TOKEN`',
});

const ActionSchema = z.object({
  action: z.enum([
    'approve',
    'reject',
    'retry',
    'skip',
    'fail',
    'signal',
    'resume',
    'replan',
    'pause',
    'cancel',
    'fork',
  ]),
  effect: z.string(),
  who: z.string().openapi({ description: 'Who may do it' }),
  allowed: z.boolean().openapi({ description: 'The caller may do it' }),
  command: CommandSchema,
});

const DeadlineSchema = z.object({
  at: Time.nullable().openapi({ description: 'Null: it stands still' }),
  leftMs: z
    .number()
    .openapi({ description: 'What is left where it stands still; else, what was when it began to run' }),
  effect: z.string().openapi({ description: 'What happens then' }),
});

export const ExplanationSchema = z
  .object({
    runId: z.string(),
    status: RunStatusSchema,
    summary: z.string().openapi({ description: 'Why the run waits or has stopped, in one sentence' }),
    since: Time,
    reasons: listOf(ReasonSchema).openapi({ description: 'The weightiest first; there is always one' }),
    budget: listOf(BudgetLineSchema).openapi({ description: 'What is left of the limits that can be counted' }),
    deadline: orNull(DeadlineSchema).openapi({ description: 'When its time is over; null: it has no deadline' }),
    actions: listOf(ActionSchema),
  })
  .openapi('Explanation', { example: EXPLANATION_EXAMPLE });

/** Why a run is in its present state, and which actions are possible. */
export type Explanation = z.output<typeof ExplanationSchema>;
