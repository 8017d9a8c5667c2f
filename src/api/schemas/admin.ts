import { CATALOG_KINDS } from '../../graph/definition/index.ts';
import { TENANT_NAME } from '../../process/tenant-name.ts';
import {
  pageExample,
  GivenJson,
  PageQuery,
  RunErrorSchema,
  Time,
  listOf,
  storableText,
  FilterTime,
  pageOf,
} from './common.ts';
import { HistorySchema, RunSchema } from './run.ts';
import { CALL_KEY, DECIDED_AT, EVENT_EXAMPLES, RUN_EXAMPLE } from './examples.ts';
import { z } from './zod.ts';

/*
 * An example with a gateway that is down: its tool is switched off, one tenant is suspended, and the audit log records
 * who did that.
 */

const NEW_SWITCH_EXAMPLE = { state: 'off' as const, reason: 'The gateway is down until noon' };

const SWITCH_EXAMPLE = {
  kind: 'tool' as const,
  name: 'charge',
  ...NEW_SWITCH_EXAMPLE,
  tenants: null,
  changedAt: '2026-11-24T09:20:00.000Z',
  changedBy: 'root',
};

const NEW_TENANT_EXAMPLE = { runsPerMinute: 60, costUsdPerDay: null };

const TENANT_EXAMPLE = {
  id: 'acme',
  quotas: {
    runsPerMinute: { limit: 60, source: 'admin' as const },
    costUsdPerDay: { limit: null, source: 'admin' as const },
  },
  suspended: null,
  changedAt: '2026-11-24T09:21:00.000Z',
  changedBy: 'root',
};

const AUDIT_EXAMPLE = {
  id: '01M8004P2Q9V7K3N5R8T1W6X0Y.1',
  at: '2026-11-24T09:20:00.000Z',
  tenantId: 'demo',
  action: 'switch.off',
  subject: 'tool/charge',
  runId: null,
  by: 'root',
  byTenantId: 'demo',
  roles: ['admin'],
  requestId: '01M8004P2Q9V7K3N5R8T1W6X0Y',
};

const LEDGER_ROW_EXAMPLE = {
  key: CALL_KEY,
  node: 'pay',
  index: null,
  called: 'issue_refund',
  status: 'completed',
  takeover: 0,
  failures: 0,
  result: { id: 'refund_ef500e52', amount: 50 },
  failure: null,
  nextAttemptAt: null,
  claimedAt: DECIDED_AT,
  updatedAt: DECIDED_AT,
};

const ACTIVITY_EXAMPLE = {
  id: '3',
  type: 'callTool',
  state: 'started',
  attempt: 2,
  scheduledAt: DECIDED_AT,
  lastStartedAt: DECIDED_AT,
  lastHeartbeatAt: null,
  lastWorker: '4711@worker-1',
  lastFailure: 'issue_refund answered 503',
};

const ADMIN_RUN = { ...RUN_EXAMPLE, tenantId: 'demo' };
const AdminRunSchema = RunSchema.extend({ tenantId: z.string() }).openapi('AdminRun', { example: ADMIN_RUN });

export const AdminRunListSchema = pageOf('AdminRunList', AdminRunSchema, ADMIN_RUN);

const LedgerRowSchema = z
  .object({
    key: z.string().openapi({ description: "The call's idempotency key" }),
    node: z.string(),
    index: z.int().nullable().openapi({ description: 'The element of a `forEach` that the call is made for' }),
    called: z.string(),
    status: z.enum(['claimed', 'retrying', 'completed', 'failed', 'unknown']),
    takeover: z.int().openapi({ description: 'How often a person has ordered the call again' }),
    failures: z.int(),
    result: GivenJson,
    failure: z.object({ error: RunErrorSchema, callFailed: z.boolean() }).nullable(),
    nextAttemptAt: Time.nullable(),
    claimedAt: Time,
    updatedAt: Time,
  })
  .openapi('LedgerRow', { example: LEDGER_ROW_EXAMPLE });

export const LedgerSchema = pageOf('Ledger', LedgerRowSchema, LEDGER_ROW_EXAMPLE);

const PendingActivitySchema = z
  .object({
    id: z.string(),
    type: z.string(),
    state: z.enum(['scheduled', 'started', 'canceling', 'paused', 'unknown']),
    attempt: z.int(),
    scheduledAt: Time.nullable(),
    lastStartedAt: Time.nullable(),
    lastHeartbeatAt: Time.nullable(),
    lastWorker: z.string().nullable(),
    lastFailure: z.string().nullable(),
  })
  .openapi('PendingActivity', { example: ACTIVITY_EXAMPLE });

export const InspectedRunSchema = z
  .object({
    run: AdminRunSchema,
    events: HistorySchema.openapi({ description: '`nextCursor` goes on at `/api/runs/{id}/history`' }),
    ledger: LedgerSchema.openapi({ description: '`nextCursor` goes on at `/admin/runs/{id}/ledger`' }),
    pendingActivities: listOf(PendingActivitySchema)
      .nullable()
      .openapi({ description: 'Null: Temporal does not have the workflow, or does not answer' }),
  })
  .openapi('InspectedRun', {
    example: {
      run: ADMIN_RUN,
      events: { items: EVENT_EXAMPLES, nextCursor: null },
      ledger: pageExample(LEDGER_ROW_EXAMPLE),
      pendingActivities: [ACTIVITY_EXAMPLE],
    },
  });

const MAX_REASON = 1_000;

/** The name of a tenant as in tokens. */
const TenantName = z.string().regex(TENANT_NAME, 'A tenant has 1 to 63 letters, digits, "_", "." and "-"');

export const TenantId = z.object({ id: TenantName.openapi({ description: 'The name of the tenant' }) });

const liftedSuspension = 'null lifts it; without it, the configuration counts';

export const NewTenantTermsSchema = z
  .strictObject({
    runsPerMinute: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .openapi({ description: `New runs in each minute of the clock; ${liftedSuspension}` }),
    costUsdPerDay: z
      .number()
      .min(0)
      .nullable()
      .optional()
      .openapi({ description: `What runs that begin on a day (UTC) may cost; ${liftedSuspension}` }),
    suspended: z
      .strictObject({ reason: storableText(MAX_REASON) })
      .nullable()
      .optional()
      .openapi({
        description:
          'The tenant starts no runs; those that have begun go on. Null lifts it; without it, a suspension stays',
      }),
  })
  .refine((terms) => Object.keys(terms).length > 0, 'Say what is to count; DELETE forgets what was said')
  .openapi('NewTenantTerms', { example: NEW_TENANT_EXAMPLE });

const LimitSchema = z.object({
  limit: z.number().nullable().openapi({ description: 'Null: it is not limited' }),
  source: z.enum(['admin', 'tenant', 'all', 'none']).openapi({
    description: 'Who says it: an administrator, the entry of the tenant or of all in the configuration, or nobody',
  }),
});

export const TenantSchema = z
  .object({
    id: z.string(),
    quotas: z.object({ runsPerMinute: LimitSchema, costUsdPerDay: LimitSchema }),
    suspended: z
      .object({ reason: z.string(), since: Time })
      .nullable()
      .openapi({ description: 'Null: it may start runs' }),
    changedAt: Time.nullable().openapi({ description: 'Null: no administrator has said anything' }),
    changedBy: z.string().nullable(),
  })
  .openapi('Tenant', { example: TENANT_EXAMPLE });

export const TenantListSchema = pageOf('TenantList', TenantSchema, TENANT_EXAMPLE);

const MAX_NAME = 255;
/** The most tenants that one switch names. */
const MAX_TENANTS = 100;

const SwitchKindSchema = z.enum(CATALOG_KINDS).openapi('SwitchKind');
const SwitchState = z.enum(['on', 'off']);

export const KindAndName = z.object({
  kind: z.enum(CATALOG_KINDS).openapi({ description: 'What is switched' }),
  name: storableText(MAX_NAME).openapi({ description: 'Its name, as graphs use it; of a graph, its own' }),
});

export const NewSwitchSchema = z
  .strictObject({
    state: SwitchState,
    reason: storableText(MAX_REASON).openapi({ description: 'Is told to whoever meets it' }),
    tenants: z.array(TenantName).min(1).max(MAX_TENANTS).optional().openapi({
      description: 'The tenants for which it is off; without it, for all. Not with `on`, which is for all',
    }),
  })
  .refine(({ state, tenants }) => state === 'off' || tenants === undefined, {
    path: ['tenants'],
    message: 'What is on is so for all; to keep it off for some, say off with these',
  })
  .openapi('NewSwitch', { example: NEW_SWITCH_EXAMPLE });

export const SwitchSchema = z
  .object({
    kind: SwitchKindSchema,
    name: z.string(),
    state: SwitchState,
    reason: z.string(),
    tenants: listOf(z.string()).nullable().openapi({ description: 'Null: for all' }),
    changedAt: Time,
    changedBy: z.string(),
  })
  .openapi('Switch', { example: SWITCH_EXAMPLE });

export const SwitchListSchema = pageOf('SwitchList', SwitchSchema, SWITCH_EXAMPLE);

const tenantOfSwitch = (what: string) =>
  z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({ description: `Only entries ${what}` });

export const AuditQuery = PageQuery.extend({
  tenantId: tenantOfSwitch('about things of this tenant'),
  by: tenantOfSwitch('of this person, as the subject of a token'),
  action: tenantOfSwitch('with this action, such as `run.cancel`, or with those that begin with it, such as `run`'),
  runId: tenantOfSwitch('about this run or its approvals'),
  from: FilterTime.openapi({ description: 'Only entries of this time or later (RFC 3339)' }),
  to: FilterTime.openapi({ description: 'Only entries before this time (RFC 3339)' }),
});

const AuditEntrySchema = z
  .object({
    id: z.string(),
    at: Time,
    tenantId: z.string().openapi({ description: 'The tenant of what it was done to' }),
    action: z.string(),
    subject: z.string().nullable().openapi({ description: 'The id or name of what it was done to' }),
    runId: z.string().nullable(),
    by: z.string().openapi({ description: 'The subject of the token' }),
    byTenantId: z.string(),
    roles: listOf(z.string()).openapi({ description: 'Those of the token' }),
    requestId: z.string().openapi({ description: 'The `X-Request-Id` of the answer' }),
  })
  .openapi('AuditEntry', { example: AUDIT_EXAMPLE });

export const AuditSchema = pageOf('Audit', AuditEntrySchema, AUDIT_EXAMPLE);
