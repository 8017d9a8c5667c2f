import type { ApprovalPolicy } from '../../graph/definition/index.ts';
import { ApprovalPolicySchema } from '../../graph/schema/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import type { JsonSchema } from '../../graph/values/index.ts';
import {
  AnyJson,
  GivenJson,
  listOf,
  Time,
  storableText,
  RunErrorSchema,
  FilterTime,
  pageOf,
  statusFilter,
  Reason,
} from './common.ts';
import { APPROVAL_EXAMPLE, INTERVENTION_EXAMPLE } from './examples.ts';
import { z } from './zod.ts';

const GivenSchema = z
  .custom<JsonSchema | null>()
  .openapi({ type: ['object', 'boolean', 'null'], description: 'A JSON Schema, or null' });

export const ApprovalStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired', 'canceled']);

/** The filters of the inbox. */
export const ApprovalFilterQuery = z.object({
  status: statusFilter(ApprovalStatusSchema, 'approvals'),
  runId: z.string().optional().openapi({ description: 'Only approvals of this run' }),
  graph: z.string().optional().openapi({ description: 'Only approvals of runs of the graph with this name' }),
  tool: z.string().optional().openapi({ description: 'Only approvals of calls of this tool' }),
  dueBefore: FilterTime.openapi({ description: 'Only approvals that expire before this time (RFC 3339)' }),
  order: z.enum(['requestedAt', 'closedAt']).default('requestedAt').openapi({
    default: 'requestedAt',
    description: '`closedAt`: those that were decided, have expired or were canceled last come first; none is pending',
  }),
  mine: z.enum(['true', 'false']).optional().openapi({
    description:
      '`true`: only pending approvals that the caller may decide and has not decided; a page may be short although others follow',
  }),
});

const DecidedSchema = z.object({
  by: z.string(),
  decision: z.enum(['approve', 'reject']),
  reason: z.string().nullable(),
  at: Time,
});

export const ApprovalSchema = z
  .object({
    id: z.string(),
    runId: z.string(),
    node: z.string(),
    title: z.string(),
    details: GivenJson,
    args: GivenJson,
    digest: z
      .string()
      .openapi({ description: 'SHA-256 in hex of {title, details, args} as canonical JSON (RFC 8785)' }),
    argsSchema: GivenSchema,
    fixedArgs: listOf(z.string())
      .optional()
      .openapi({ description: 'Names of arguments that the graph fixes: a decision with other values is refused' }),
    decisionSchema: GivenSchema,
    policy: z.custom<ApprovalPolicy>().openapi({ type: 'object', description: 'Who may decide, and how many have to' }),
    status: ApprovalStatusSchema,
    decisions: listOf(DecidedSchema.extend({ args: GivenJson, values: GivenJson })),
    who: z.string().optional().openapi({ description: 'As `comments`: who may decide, in words' }),
    progress: z
      .object({ needed: z.number().int(), by: listOf(z.string()) })
      .optional()
      .openapi({ description: 'As `comments`: so many approvals are needed, and by whom those are that count' }),
    reassigned: z.number().int().optional().openapi({ description: 'How often it was given to others' }),
    askedArgs: GivenJson.optional().openapi({
      description: 'As `comments`: the arguments as they were asked for, once a decision has brought others',
    }),
    previous: listOf(
      z.object({ id: z.string(), status: ApprovalStatusSchema, decisions: listOf(DecidedSchema) }),
    ).openapi({ description: 'The same question asked before without a yes, oldest first' }),
    tool: z.string().optional(),
    requestedBy: z.string(),
    requestedAt: Time,
    expiresAt: Time,
    graph: z.string().optional().openapi({ description: 'As `comments`: the name of the graph of the run' }),
    closedAt: Time.optional().openapi({
      description: 'As `comments`: when it was decided, has expired or was canceled; absent while it is pending',
    }),
    comments: listOf(z.object({ by: z.string(), text: z.string(), at: Time }))
      .optional()
      .openapi({
        description: 'Oldest first: all in an approval that is read or commented on, the last three in the inbox',
      }),
    remindedAt: Time.nullable().optional().openapi({ description: 'As `comments`: the last reminder' }),
  })
  .openapi('Approval', { example: APPROVAL_EXAMPLE });

const CheckedSchema = z.custom<JsonSchema | null>(
  (value) => value === null || typeof value === 'boolean' || isJsonObject(value),
);

/** Parses an approval in a run's answer. In the description, schemas and policies are arbitrary objects. */
export const AnsweredApproval = ApprovalSchema.extend({
  argsSchema: CheckedSchema,
  decisionSchema: CheckedSchema,
  policy: z.custom<ApprovalPolicy>((value) => ApprovalPolicySchema.safeParse(value).success),
});

/** An approval as the API returns it. */
export type ApprovalJson = z.output<typeof ApprovalSchema>;

export const ApprovalListSchema = pageOf('ApprovalList', ApprovalSchema, APPROVAL_EXAMPLE);

const decisionFields = {
  reason: Reason,
  args: AnyJson.optional().openapi({
    description: 'Edited arguments; without them those that were proposed are approved',
  }),
  values: AnyJson.optional().openapi({ description: 'Values that the approval asks for' }),
  digest: z
    .string()
    .max(100)
    .optional()
    .openapi({ description: 'The digest of what was decided; else If-Match has it' }),
};
export const DecideSchema = z
  .strictObject({
    approvalId: z
      .string()
      .optional()
      .openapi({ description: 'Without it, the first approval that the run has ever asked for, and no other' }),
    ...decisionFields,
  })
  .openapi('Decide', { example: { reason: 'checked', args: { amount: 20 } } });
/** The fields of a decision. */
export const decidedFields = { decision: z.enum(['approve', 'reject']), ...decisionFields };
export const DecisionSchema = z
  .strictObject(decidedFields)
  .openapi('Decision', { example: { decision: 'approve', reason: 'checked', args: { amount: 20 } } });
export const DecisionHeaders = z.object({
  'if-match': z.string().optional().openapi({ description: 'The digest of what is decided, in quotes' }),
});

/** In characters. */
const MAX_COMMENT = 4_000;
export const CommentSchema = z
  .strictObject({ text: storableText(MAX_COMMENT) })
  .openapi('Comment', { example: { text: 'Which carrier was it?' } });
export const ReminderSchema = z.strictObject({}).openapi('Reminder', { example: {} });

const MAX_NAMES = 20;
const DeciderNames = z.array(z.string().min(1).max(255)).max(MAX_NAMES);
export const ReassignmentSchema = z
  .strictObject({ roles: DeciderNames.optional(), users: DeciderNames.optional() })
  .refine(({ roles = [], users = [] }) => roles.length + users.length > 0, 'Name the roles or users who decide it now')
  .openapi('Reassignment', { example: { users: ['ann'] } });

const ChoiceSchema = z.object({
  action: z.enum(['retry', 'skip', 'fail']),
  effect: z.string().openapi({ description: 'What that control does here' }),
});

/** The fields of an intervention, in a run and in the inbox. */
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

export const InterventionListSchema = pageOf('InterventionList', InterventionSchema, INTERVENTION_EXAMPLE);
