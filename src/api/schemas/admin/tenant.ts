import { z } from '@hono/zod-openapi';
import { NextCursor, Time, aPage, listOf, storableText } from '../common.ts';
import { NEW_TENANT_EXAMPLE, TENANT_EXAMPLE } from '../examples/administration.ts';

const MAX_REASON = 1_000;

/** As tokens name tenants. */
export const TenantName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, 'A tenant has 1 to 63 letters, digits, "_", "." and "-"');

export const TenantId = z.object({ id: TenantName.openapi({ description: 'The name of the tenant' }) });

const lifted = 'null lifts it; without it, the configuration counts';

export const NewTenantTermsSchema = z
  .strictObject({
    runsPerMinute: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .openapi({ description: `New runs in each minute of the clock; ${lifted}` }),
    costUsdPerDay: z
      .number()
      .min(0)
      .nullable()
      .optional()
      .openapi({ description: `What runs that begin on a day (UTC) may cost; ${lifted}` }),
    suspended: z
      .strictObject({ reason: storableText(MAX_REASON) })
      .nullable()
      .optional()
      .openapi({ description: 'The tenant starts no runs; those that have begun go on' }),
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
    suspended: z.object({ reason: z.string(), since: Time }).nullable().openapi({ description: 'Null: it may start runs' }),
    changedAt: Time.nullable().openapi({ description: 'Null: no administrator has said anything' }),
    changedBy: z.string().nullable(),
  })
  .openapi('Tenant', { example: TENANT_EXAMPLE });

export const TenantListSchema = z
  .object({ items: listOf(TenantSchema), nextCursor: NextCursor })
  .openapi('TenantList', { example: aPage(TENANT_EXAMPLE) });
