import type { NewSwitch, Switch, Tenant, TenantTerms } from 'holdfast/client';
import { isMembers } from '../../form/fields-of.ts';

type Kind = Switch['kind'];

/** The kinds of things that can be switched off, in words: the compiler asks for each of the API's. */
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
 * What the form begins with: the opposite of what a switch says, or the thing that the address names.
 * @param turned the switch that is turned; `null` for a new one
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

/** Reads the form as the API takes it. No tenant means all of them. */
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

/** What an administrator may say of a quota. */
export const CHOICES = [
  { const: 'configuration', title: 'The configuration counts' },
  { const: 'lifted', title: 'No limit' },
  { const: 'limit', title: 'This limit' },
] as const;
type Limit = Tenant['quotas'][keyof Tenant['quotas']];

/** What the form of a tenant begins with: what administrators have said before. */
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

function choiceOf({ limit, source }: Limit): (typeof CHOICES)[number]['const'] {
  if (source !== 'admin') return 'configuration';
  return limit === null ? 'lifted' : 'limit';
}

function limitOf({ limit, source }: Limit): number | undefined {
  return source === 'admin' && limit !== null ? limit : undefined;
}

function readQuota(name: 'runsPerMinute' | 'costUsdPerDay', saying: unknown, limit: unknown): TenantTerms {
  if (saying === 'lifted') return { [name]: null };
  return saying === 'limit' && typeof limit === 'number' ? { [name]: limit } : {};
}

const SOURCES: Readonly<Record<Limit['source'], string>> = {
  admin: 'says an administrator',
  tenant: 'says the configuration of the tenant',
  all: 'says the configuration of all tenants',
  none: 'as nobody says anything',
};

/** Says a limit and who has laid it down: "60, says an administrator". */
export function formatLimit({ limit, source }: Limit): string {
  return `${limit ?? 'no limit'}, ${SOURCES[source]}`;
}
