import type { Tenant, TenantTerms } from 'holdfast/client';
import { isMembers } from '../../../form/fields-of.ts';

/** What an administrator may say of a quota. */
export const SAYINGS = [
  { const: 'configuration', title: 'The configuration counts' },
  { const: 'lifted', title: 'No limit' },
  { const: 'limit', title: 'This limit' },
] as const;

type Members = Readonly<Record<string, unknown>>;
type Limit = Tenant['quotas'][keyof Tenant['quotas']];

/** What the form of a tenant begins with: what administrators have said before. */
export function toTermsForm({ quotas, suspended }: Pick<Tenant, 'quotas' | 'suspended'>): Members {
  return {
    runs: sayingOf(quotas.runsPerMinute),
    runsPerMinute: saidOf(quotas.runsPerMinute),
    cost: sayingOf(quotas.costUsdPerDay),
    costUsdPerDay: saidOf(quotas.costUsdPerDay),
    suspended: suspended !== null,
    reason: suspended?.reason,
  };
}

/** Reads the form as the API takes it. It says of `suspended` always, so that nothing else need be said. */
export function readTerms(value: unknown): TenantTerms {
  const { runs, runsPerMinute, cost, costUsdPerDay, suspended, reason } = isMembers(value) ? value : {};
  return {
    ...readQuota('runsPerMinute', runs, runsPerMinute),
    ...readQuota('costUsdPerDay', cost, costUsdPerDay),
    suspended: suspended === true ? { reason: typeof reason === 'string' ? reason.trim() : '' } : null,
  };
}

/** Names the fields that are needed because of what others say. */
export function neededFields(value: unknown): readonly string[] {
  const { runs, cost, suspended } = isMembers(value) ? value : {};
  return [
    ...(runs === 'limit' ? ['runsPerMinute'] : []),
    ...(cost === 'limit' ? ['costUsdPerDay'] : []),
    ...(suspended === true ? ['reason'] : []),
  ];
}

/** Says of needed fields that are empty that they are. */
export function missingOf(value: unknown, needed: readonly string[]): Readonly<Record<string, string>> {
  const members = isMembers(value) ? value : {};
  const missing = needed.filter((name) => members[name] === undefined || members[name] === '');
  return Object.fromEntries(missing.map((name) => [name, 'This is needed']));
}

function sayingOf({ limit, source }: Limit): (typeof SAYINGS)[number]['const'] {
  if (source !== 'admin') return 'configuration';
  return limit === null ? 'lifted' : 'limit';
}

function saidOf({ limit, source }: Limit): number | undefined {
  return source === 'admin' && limit !== null ? limit : undefined;
}

function readQuota(name: 'runsPerMinute' | 'costUsdPerDay', saying: unknown, limit: unknown): TenantTerms {
  if (saying === 'lifted') return { [name]: null };
  return saying === 'limit' && typeof limit === 'number' ? { [name]: limit } : {};
}
