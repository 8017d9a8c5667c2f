import { MEMORY_TOOLS } from '../../graph/definition/index.ts';
import type { Catalog, CatalogKind } from '../../graph/definition/index.ts';
import { didYouMean } from '../../graph/values/index.ts';
import type { Switch, SwitchKey } from '../../store/switches.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

/** The most switches of an installation. */
const MAX_SWITCHES = 1_000;

type WantedSwitch = Omit<Switch, 'changedAt' | 'changedBy'>;

/**
 * Creates or replaces a switch. This takes effect in this process at once, in others within seconds.
 * @throws ApiError 404 for a name that the installation does not have, 409 when there are too many switches
 */
export async function setSwitch(
  { store, catalog }: Pick<ApiDeps, 'store' | 'catalog'>,
  { sub: changedBy }: Caller,
  wanted: WantedSwitch,
): Promise<{ readonly set: Switch; readonly isNew: boolean }> {
  requireKnownName(catalog, wanted);
  const set = { ...wanted, changedAt: new Date().toISOString(), changedBy };
  const written = await store.switches.put(set, MAX_SWITCHES);
  if (!written) throw new ApiError('TOO_MANY_KEPT', `There may be ${MAX_SWITCHES} switches`);
  store.overrides.forget();
  return { set, ...written };
}

/** The names that the installation has; `null` for graphs, which tenants may publish under any name. */
const NAMES: Readonly<Record<CatalogKind, (catalog: Catalog) => readonly string[] | null>> = {
  tool: ({ tools }) => [...Object.keys(tools), ...Object.keys(MEMORY_TOOLS)],
  model: ({ models }) => Object.keys(models),
  function: ({ functions }) => Object.keys(functions),
  'node-type': ({ nodeTypes = {} }) => Object.keys(nodeTypes),
  graph: () => null,
};

/** A switch with a misspelled name would have no effect. */
function requireKnownName(catalog: Catalog, { kind, name }: SwitchKey): void {
  const names = NAMES[kind](catalog);
  if (names === null || names.includes(name)) return;
  throw new ApiError('NOT_FOUND', `The installation has no ${kind} "${name}".${didYouMean(name, names)}`);
}
