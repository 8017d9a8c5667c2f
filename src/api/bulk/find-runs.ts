import { TAKEN_IN, isTakenIn } from '../../graph/run/index.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import type { RunFilter } from '../../store/run-search/run-filter.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';

/** A control that needs nothing but its run. */
export type BulkAction = Exclude<keyof typeof TAKEN_IN, 'replan'>;

export interface RunSearch {
  readonly tenantId: string;
  readonly action: BulkAction;
  readonly filter: RunFilter;
}

/** The runs that are read at a time. */
const AT_ONCE = 200;

/** Finds runs of a tenant that fulfill a filter and take an action, the newest first. @returns their ids */
export async function findRuns(
  { store }: Pick<ApiDeps, 'store'>,
  { tenantId, action, filter }: RunSearch,
  { limit, after }: PageRequest,
): Promise<Page<string>> {
  const status = TAKEN_IN[action].filter((one) => filter.status?.includes(one) ?? true);
  if (status.length === 0) return { items: [], next: null };
  // Most runs that wait do so for something else: the store passes them over.
  const wanted = { ...filter, status, ...(action === 'retry' && { isRetryable: true as const }) };
  const items: string[] = [];
  let next = after;
  do {
    const page = await store.runs.list(tenantId, wanted, {
      limit: Math.min(AT_ONCE, limit - items.length),
      after: next,
    });
    items.push(...page.items.filter((run) => takes(action, run)).map(({ id }) => id));
    next = page.next ?? undefined;
  } while (next && items.length < limit);
  return { items, next: next ?? null };
}

/** True if a run takes an action, as far as its row tells. */
export function takes(action: BulkAction, { status, view }: RunRecord): boolean {
  const isAsking = view?.waitingFor.some(({ kind }) => kind === 'intervention') ?? false;
  return isTakenIn(status, action) && (action !== 'retry' || status === 'failed' || isAsking);
}
