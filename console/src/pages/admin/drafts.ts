import type { NewSwitch, Switch, Tenant, TenantTerms } from 'holdfast/client';
import { isMembers } from '../../form/fields.ts';

type Kind = Switch['kind'];

/** Labels of everything that can be switched off. The type covers all kinds of the API. */
const WORDS: Readonly<Record<Kind, string>> = {
  tool: 'tool',
  model: 'model',
  function: 'function',
  'node-type': 'node type',
  graph: 'graph',
};

/** The choices of a form. */
export const KINDS = Object.entries(WORDS).map(([kind, title]) => ({ const: kind, title }));

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the initial value of the form: the opposite state of a switch, or the subject in the address.
 * @param turned the switch to change; `null` for a new one
 */
export function toSwitchForm(turned: Switch | null, search: URLSearchParams): Members {
  if (turned === null) {
    const state = search.get('state') === 'on' ? 'on' : 'off';
    const kind = search.get('kind') ?? 'tool';
    return { kind: isKind(kind) ? kind : undefined, name: search.get('name') ?? '', state };
  }
  const { kind, name, state, tenants } = turned;
  return { kind, name, state: state === 'off' ? 'on' : 'off', tenants: tenants?.join(', ') };
}

/** Converts the form to a request. An empty tenant means all tenants. */
export function readSwitch(value: unknown): NewSwitch {
  const { kind, name, state, reason, tenants } = isMembers(value) ? value : {};
  const named = textOf(tenants)
    .split(/[\s,]+/)
    .filter((tenant) => tenant !== '');
  return {
    kind: isKind(kind) ? kind : 'tool',
    name: textOf(name),
    state: state === 'on' ? 'on' : 'off',
    reason: textOf(reason),
    ...(named.length > 0 && { tenants: named }),
  };
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(WORDS, value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** The choices of an administrator for a quota. */
export const CHOICES = [
  { const: 'configuration', title: 'The configuration counts' },
  { const: 'lifted', title: 'No limit' },
  { const: 'limit', title: 'This limit' },
] as const;
type Limit = Tenant['quotas'][keyof Tenant['quotas']];

/** The initial value of the form of a tenant: its current terms. */
export function toTermsForm({ quotas, suspended }: Pick<Tenant, 'quotas' | 'suspended'>): Members {
  return {
    runs: choiceOf(quotas.runsPerMinute),
    runsPerMinute: limitOf(quotas.runsPerMinute),
    cost: choiceOf(quotas.costUsdPerDay),
    costUsdPerDay: limitOf(quotas.costUsdPerDay),
    suspended: suspended !== null,
    reason: suspended?.reason,
  };
}

/** Converts the form to a request. `suspended` is always included, so that the request is never empty. */
export function readTerms(value: unknown): TenantTerms {
  const { runs, runsPerMinute, cost, costUsdPerDay, suspended, reason } = isMembers(value) ? value : {};
  return {
    ...readQuota('runsPerMinute', runs, runsPerMinute),
    ...readQuota('costUsdPerDay', cost, costUsdPerDay),
    suspended: suspended === true ? { reason: typeof reason === 'string' ? reason.trim() : '' } : null,
  };
}

/** Returns the fields that are required by the values of others. */
export function requiredFields(value: unknown): readonly string[] {
  const { runs, cost, suspended } = isMembers(value) ? value : {};
  return [
    ...(runs === 'limit' ? ['runsPerMinute'] : []),
    ...(cost === 'limit' ? ['costUsdPerDay'] : []),
    ...(suspended === true ? ['reason'] : []),
  ];
}

/** Reports required fields that are empty. */
export function missingOf(value: unknown, needed: readonly string[]): Readonly<Record<string, string>> {
  const members = isMembers(value) ? value : {};
  const missing = needed.filter((name) => members[name] === undefined || members[name] === '');
  return Object.fromEntries(missing.map((name) => [name, 'This is needed']));
}

function choiceOf({ limit, source }: Limit): (typeof CHOICES)[number]['const'] {
  if (source !== 'admin') return 'configuration';
  return limit === null ? 'lifted' : 'limit';
}

function limitOf({ limit, source }: Limit): number | undefined {
  return source === 'admin' && limit !== null ? limit : undefined;
}

function readQuota(name: 'runsPerMinute' | 'costUsdPerDay', choice: unknown, limit: unknown): TenantTerms {
  if (choice === 'lifted') return { [name]: null };
  return choice === 'limit' && typeof limit === 'number' ? { [name]: limit } : {};
}

const SOURCES: Readonly<Record<Limit['source'], string>> = {
  admin: 'says an administrator',
  tenant: 'says the configuration of the tenant',
  all: 'says the configuration of all tenants',
  none: 'as nobody says anything',
};

/** Formats a limit with its source: "60, says an administrator". */
export function formatLimit({ limit, source }: Limit): string {
  return `${limit ?? 'no limit'}, ${SOURCES[source]}`;
}
