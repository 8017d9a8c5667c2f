import { z } from '@hono/zod-openapi';
import { ApprovalSchema, decidedFields } from './approval.ts';
import { ProblemSchema, listOf } from './common.ts';
import { APPROVAL_EXAMPLE, PROBLEM_EXAMPLE, RUN_EXAMPLE } from './examples/run.ts';
import { FilterTime } from './run-filter.ts';
import { RunStatusSchema } from './run.ts';

const MAX_IDS = 1_000;
const MAX_DECISIONS = 100;

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const BulkFilter = z.strictObject({
  status: z.array(RunStatusSchema).min(1).max(7).optional(),
  graph: z.string().optional(),
  threadId: z.string().optional(),
  parentRunId: z.string().optional(),
  createdAfter: FilterTime,
  createdBefore: FilterTime,
  metadata: z
    .record(z.string(), Scalar)
    .refine((fields) => Object.keys(fields).length <= 10, 'At most 10 fields are expected here')
    .transform((fields) => Object.entries(fields).map(([name, value]) => [name, String(value)] as const))
    .optional(),
});

export const BulkSchema = z
  .strictObject({
    action: z.enum(['cancel', 'pause', 'resume', 'retry']),
    ids: z.array(z.string()).min(1).max(MAX_IDS).optional(),
    filter: BulkFilter.optional().openapi({
      description: 'Runs of the tenant that fulfill all of it, and take the action',
    }),
    dryRun: z.boolean().default(false).openapi({ description: 'Says what would be done, and does nothing' }),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['ids'],
    message: 'Either ids or a filter is expected here',
  })
  .openapi('Bulk', {
    example: { action: 'cancel', filter: { graph: 'order-summary', status: ['waiting'] }, dryRun: true },
  });

export const BulkResultSchema = z
  .object({
    done: listOf(z.string()).openapi({ description: 'The ids of the runs that have taken the action' }),
    failed: listOf(
      z.object({ id: z.string(), ...ProblemSchema.pick({ code: true, detail: true, mayTakeEffect: true }).shape }),
    ),
    hasMore: z.boolean().openapi({ description: 'More runs fulfill the filter; the same request again takes them' }),
  })
  .openapi('BulkResult', { example: { done: [RUN_EXAMPLE.id], failed: [], hasMore: false } });

export const DecisionsSchema = z
  .strictObject({
    decisions: z
      .array(z.strictObject({ approvalId: z.string().min(1), ...decidedFields }))
      .min(1)
      .max(MAX_DECISIONS),
  })
  .openapi('Decisions', {
    example: { decisions: [{ approvalId: APPROVAL_EXAMPLE.id, decision: 'approve', reason: 'checked' }] },
  });

const Refused = ProblemSchema.pick({ status: true, code: true, detail: true, issues: true, mayTakeEffect: true });

export const DecisionResultsSchema = z
  .object({
    results: listOf(
      z.union([
        z.object({ approvalId: z.string(), approval: ApprovalSchema }),
        z.object({ approvalId: z.string(), problem: Refused }),
      ]),
    ).openapi({ description: 'In the order of the decisions' }),
  })
  .openapi('DecisionResults', {
    example: {
      results: [
        { approvalId: APPROVAL_EXAMPLE.id, approval: APPROVAL_EXAMPLE },
        { approvalId: 'gone', problem: { status: 404, code: 'UNKNOWN_APPROVAL', detail: PROBLEM_EXAMPLE.detail } },
      ],
    },
  });
