import { hideRefusal } from '../../graph/redaction/index.ts';
import { TAKEN_IN, isTakenIn } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { RunFilter } from '../../store/run-search/run-filter.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { findRun } from '../runs/find-run.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { tryEach } from './try-each.ts';

/** A control that needs nothing but its run. */
export type BulkAction = Exclude<keyof typeof TAKEN_IN, 'replan'>;

/** Runs by their ids, or those of the tenant that fulfill a filter and take the action. */
export type ChosenRuns = { readonly ids: readonly string[] } | { readonly filter: RunFilter };

export interface BulkControl {
  readonly action: BulkAction;
  readonly chosen: ChosenRuns;
  /** `preview`: says which runs would take it, and changes nothing. */
  readonly mode: 'preview' | 'do';
  readonly attempt: RequestAttempt;
}

/** A run that has not taken an action, or whose answer to it is not known. */
interface FailedControl {
  readonly id: string;
  readonly code: string;
  readonly detail: string;
  /** Present: the action was passed on, and may take effect all the same. */
  readonly mayTakeEffect?: true;
}

/** What came of an action on many runs. */
export interface BulkResult {
  readonly done: readonly string[];
  readonly failed: readonly FailedControl[];
  /** More runs fulfill the filter: the same request again takes the next ones. */
  readonly hasMore: boolean;
}

/** The runs that one request changes. */
const MAX_RUNS = 1_000;
const PAGE = 200;

/** Controls many runs, each as its own control would. The runs of a filter are those of the caller's tenant. */
export async function controlMany(deps: ApiDeps, caller: Caller, wanted: BulkControl): Promise<BulkResult> {
  const { action, chosen, mode } = wanted;
  const { tenantId } = caller;
  const { ids, hasMore } = 'ids' in chosen ? allOf(chosen.ids) : await findRuns(deps, { ...chosen, tenantId, action });
  const tried = await tryEach(ids, async (id) => {
    const run = await findRun(deps, caller, id);
    await (mode === 'preview' ? requireTaken(action, run) : control(deps, caller, { run, wanted }));
  });
  return {
    done: tried.flatMap((one) => ('done' in one ? [one.item] : [])),
    failed: tried.flatMap((one) => ('refused' in one ? [toFailed(one.item, one.refused)] : [])),
    hasMore,
  };
}

interface Found {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

function allOf(ids: readonly string[]): Found {
  return { ids: [...new Set(ids)], hasMore: false };
}

function toFailed(id: string, { code, message: detail, mayTakeEffect }: ApiError): FailedControl {
  return { id, code, detail, ...(mayTakeEffect && { mayTakeEffect }) };
}

interface Search {
  readonly tenantId: string;
  readonly action: BulkAction;
  readonly filter: RunFilter;
}

async function findRuns({ store }: ApiDeps, { tenantId, action, filter }: Search): Promise<Found> {
  const status = TAKEN_IN[action].filter((one) => filter.status?.includes(one) ?? true);
  if (status.length === 0) return allOf([]);
  // Most runs that wait do so for something else: the store passes them over.
  const found = { ...filter, status, ...(action === 'retry' && { isRetryable: true as const }) };
  const ids: string[] = [];
  let after: { readonly at: string; readonly id: string } | undefined;
  do {
    const page = await store.runs.list(tenantId, found, { limit: PAGE, after });
    ids.push(...page.items.filter((run) => takes(action, run)).map(({ id }) => id));
    after = page.next ?? undefined;
  } while (after && ids.length < MAX_RUNS);
  return { ids: ids.slice(0, MAX_RUNS), hasMore: after !== undefined || ids.length > MAX_RUNS };
}

/** True if a run takes an action, as far as its row tells. */
function takes(action: BulkAction, { status, view }: RunRecord): boolean {
  const isAsking = view?.waitingFor.some(({ kind }) => kind === 'intervention') ?? false;
  return isTakenIn(status, action) && (action !== 'retry' || status === 'failed' || isAsking);
}

async function requireTaken(action: BulkAction, run: RunRecord): Promise<void> {
  if (!takes(action, run))
    throw new ApiError('NOT_ALLOWED_NOW', `The run is ${run.status}: it does not take ${action}`);
}

async function control(
  deps: ApiDeps,
  caller: Caller,
  { run, wanted: { action, attempt } }: { readonly run: RunRecord; readonly wanted: BulkControl },
): Promise<void> {
  const result = await sendSignal(deps, caller, { run, signal: { name: action, attempt, payload: {} } });
  if (!result.taken) throw toApiError(hideRefusal(result.refusal, hiddenFrom(caller, run)));
}
