import { NOTHING_REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';

/** Returns what is hidden of a run from a caller: nothing from those who may see payloads, stacks from all others. */
export function hiddenFrom(caller: Pick<Caller, 'permissions'>, { redaction }: { redaction: Redaction }): Redaction {
  return seesAll(caller) ? NOTHING_REDACTED : { ...redaction, stacks: true };
}

export function seesAll({ permissions }: Pick<Caller, 'permissions'>): boolean {
  return permissions.has('payload:read') || permissions.has('admin');
}

/** A thing of a run that is shown in a list. */
export interface OfRun {
  readonly runId: string;
}

/** Shows a thing of a run, of which some is hidden. */
type Show<Item, Shown> = (item: Item, hidden: Redaction) => Shown;

/** Shows things of several runs to a caller. Those of a run that is gone meanwhile are left out. */
export async function showAll<Item extends OfRun, Shown>(
  { store, caller }: Pick<ApiDeps, 'store'> & { readonly caller: Pick<Caller, 'permissions'> },
  items: readonly Item[],
  show: Show<Item, Shown>,
): Promise<readonly Shown[]> {
  if (seesAll(caller)) return items.map((item) => show(item, NOTHING_REDACTED));
  const hiddenOf = await store.runs.hiddenOf([...new Set(items.map(({ runId }) => runId))]);
  return items.flatMap((item) => {
    const redaction = hiddenOf.get(item.runId);
    return redaction ? [show(item, redaction)] : [];
  });
}
