import { z } from '@hono/zod-openapi';
import { NextCursor, PageQuery, Time, aPage, listOf } from '../common.ts';
import { AUDIT_EXAMPLE } from '../examples/administration.ts';
import { FilterTime } from '../run-filter.ts';

const only = (what: string) => z.string().min(1).max(255).optional().openapi({ description: `Only entries ${what}` });

export const AuditQuery = PageQuery.extend({
  tenantId: only('about things of this tenant'),
  by: only('of this person, as the subject of a token'),
  action: only('with this action, such as `run.cancel`, or with those that begin with it, such as `run`'),
  runId: only('about this run or its approvals'),
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

export const AuditSchema = z
  .object({ items: listOf(AuditEntrySchema), nextCursor: NextCursor })
  .openapi('Audit', { example: aPage(AUDIT_EXAMPLE) });
