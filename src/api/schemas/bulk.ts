import { isJsonObject } from '../../graph/values/index.ts';
import { ApprovalSchema, decidedFields } from './approval.ts';
import { NextCursor, ProblemSchema, listOf, FilterTime, Reason } from './common.ts';
import { PROBLEM_EXAMPLE, APPROVAL_EXAMPLE, RUN_EXAMPLE } from './examples.ts';
import { RunStatusSchema } from './run.ts';
import { z } from './zod.ts';

const MAX_IDS = 1_000;
const MAX_DECISIONS = 100;
const MAX_FIELDS = 10;

type Scalar = string | number | boolean;

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** A record schema would lose a field named `__proto__`, and a filter without fields would select all runs. */
const MetadataFilter = z
  .custom<Readonly<Record<string, Scalar>>>(isJsonObject, 'An object is expected here')
  .superRefine((fields, context) => {
    const entries = Object.entries(fields);
    if (entries.length === 0 || entries.length > MAX_FIELDS)
      context.addIssue({ code: 'custom', message: `1 to ${MAX_FIELDS} fields are expected here` });
    for (const [name] of entries.filter(([, value]) => !isScalar(value)))
      context.addIssue({ code: 'custom', path: [name], message: `A text, number or truth value is expected here` });
  })
  .transform((fields) => Object.entries(fields).map(([name, value]) => [name, String(value)] as const))
  .openapi({
    type: 'object',
    minProperties: 1,
    maxProperties: MAX_FIELDS,
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
  });

const BulkFilter = z.strictObject({
  status: z.array(RunStatusSchema).min(1).max(7).optional(),
  graph: z.string().optional(),
  threadId: z.string().optional(),
  parentRunId: z.string().optional(),
  createdAfter: FilterTime,
  createdBefore: FilterTime,
  metadata: MetadataFilter.optional(),
});

export const BulkSchema = z
  .strictObject({
    action: z.enum(['cancel', 'pause', 'resume', 'retry']),
    ids: z.array(z.string()).min(1).max(MAX_IDS).optional(),
    filter: BulkFilter.optional().openapi({
      description: 'Runs of the tenant that fulfill all of it, and take the action',
    }),
    cursor: z
      .string()
      .min(1)
      .optional()
      .openapi({ description: 'The `nextCursor` of an answer to the same action and filter: goes on after its runs' }),
    reason: Reason.openapi({ description: 'Why, for `cancel` and `pause`' }),
    dryRun: z.boolean().default(false).openapi({ description: 'Says what would be done, and does nothing' }),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['ids'],
    message: 'Either ids or a filter is expected here',
  })
  .refine(({ ids, cursor }) => ids === undefined || cursor === undefined, {
    path: ['cursor'],
    message: 'A cursor goes with a filter',
  })
  .refine(({ action, reason }) => reason === undefined || action === 'cancel' || action === 'pause', {
    path: ['reason'],
    message: 'Only cancel and pause take a reason',
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
    hasMore: z.boolean().openapi({ description: 'More runs fulfill the filter: `nextCursor` goes on with them' }),
    nextCursor: NextCursor,
    runs: listOf(z.object({ id: z.string(), graph: z.string(), status: RunStatusSchema }))
      .optional()
      .openapi({ description: 'Of a dry run: what the runs in `done` are' }),
  })
  .openapi('BulkResult', { example: { done: [RUN_EXAMPLE.id], failed: [], hasMore: false, nextCursor: null } });

/** The result of an action on many runs. */
export type BulkResult = z.output<typeof BulkResultSchema>;

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

const FailedItemSchema = ProblemSchema.pick({
  status: true,
  code: true,
  detail: true,
  issues: true,
  mayTakeEffect: true,
});

export const DecisionResultsSchema = z
  .object({
    results: listOf(
      z.union([
        z.object({ approvalId: z.string(), approval: ApprovalSchema }),
        z.object({ approvalId: z.string(), problem: FailedItemSchema }),
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
