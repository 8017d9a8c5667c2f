import { z } from '@hono/zod-openapi';
import { aPage, GivenJson, NextCursor, RunErrorSchema, Time, listOf } from './common.ts';
import { ACTIVITY_EXAMPLE, EVENT_EXAMPLES, LEDGER_ROW_EXAMPLE, RUN_EXAMPLE } from './examples/run.ts';
import { HistorySchema, RunSchema } from './run.ts';

const ADMIN_RUN = { ...RUN_EXAMPLE, tenantId: 'demo' };
const AdminRunSchema = RunSchema.extend({ tenantId: z.string() }).openapi('AdminRun', { example: ADMIN_RUN });

export const AdminRunListSchema = z
  .object({ items: listOf(AdminRunSchema), nextCursor: NextCursor })
  .openapi('AdminRunList', { example: aPage(ADMIN_RUN) });

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

export const LedgerSchema = z
  .object({ items: listOf(LedgerRowSchema), nextCursor: NextCursor })
  .openapi('Ledger', { example: aPage(LEDGER_ROW_EXAMPLE) });

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
      ledger: aPage(LEDGER_ROW_EXAMPLE),
      pendingActivities: [ACTIVITY_EXAMPLE],
    },
  });
