import { TAKEN_IN, isTakenIn } from '../../graph/run/index.ts';

import type { BulkResult } from '../schemas/bulk.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import type { RunFilter, RunRecord } from '../../store/runs.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { hideRefusal } from '../../graph/redaction/index.ts';
import { readPageByCursor } from '../http/paging.ts';
import { hiddenFrom } from '../redaction.ts';
import { bindControl } from '../runs/bind-control.ts';
import { sendSignal } from '../runs/send-signal.ts';
import type { RequestAttempt } from '../http/admission.ts';
import { findRun } from '../runs/read-run.ts';
import { tryEach } from './try-each.ts';

/** A control that needs no parameters besides its run. */
export type BulkAction = Exclude<keyof typeof TAKEN_IN, 'replan'>;

export interface RunSearch {
  readonly tenantId: string;
  readonly action: BulkAction;
  readonly filter: RunFilter;
}

/** The number of runs that are read at a time. */
const AT_ONCE = 200;

/** Finds the runs of a tenant that fulfill a filter and accept an action, newest first. @returns their ids */
async function findRuns(
  { store }: Pick<ApiDeps, 'store'>,
  { tenantId, action, filter }: RunSearch,
  { limit, after }: PageRequest,
): Promise<Page<string>> {
  const status = TAKEN_IN[action].filter((one) => filter.status?.includes(one) ?? true);
  if (status.length === 0) return { items: [], next: null };
  // Most waiting runs wait for something other than an intervention, so the store filters them out.
  const wanted = { ...filter, status, ...(action === 'retry' && { isRetryable: true as const }) };
  const items: string[] = [];
  let next = after;
  do {
    const page = await store.runs.list(tenantId, wanted, {
      limit: Math.min(AT_ONCE, limit - items.length),
      after: next,
    });
    items.push(...page.items.filter((run) => acceptsAction(action, run)).map(({ id }) => id));
    next = page.next ?? undefined;
  } while (next && items.length < limit);
  return { items, next: next ?? null };
}

/** Returns true if the run accepts the action, according to its row. */
function acceptsAction(action: BulkAction, { status, view }: RunRecord): boolean {
  const isAsking = view?.waitingFor.some(({ kind }) => kind === 'intervention') ?? false;
  return isTakenIn(status, action) && (action !== 'retry' || status === 'failed' || isAsking);
}

/** Runs by id, or the runs of the tenant that fulfill a filter and accept the action, starting at a cursor. */
export type RunSelection =
  | { readonly ids: readonly string[] }
  | { readonly filter: RunFilter; readonly cursor?: string | undefined };

export interface BulkControl {
  readonly action: BulkAction;
  readonly selection: RunSelection;
  /** The reason, which readers of the run can see. */
  readonly reason?: string | undefined;
  /** `preview` returns the runs that would accept the action, without changing anything. */
  readonly mode: 'preview' | 'do';
  readonly attempt: RequestAttempt;
  readonly record: RecordAct;
}

/** The most runs that one request changes. */
const MAX_RUNS = 1_000;

/**
 * Applies a control to many runs, to each as the single control would. A filter selects runs of the caller's tenant
 * only.
 */
export async function controlMany(deps: ApiDeps, caller: Caller, wanted: BulkControl): Promise<BulkResult> {
  const { action, mode } = wanted;
  const { ids, nextCursor } = await selectRunIds(deps, caller, wanted);
  const tried = await tryEach(deps, ids, String, async (id) => {
    const run = await findRun(deps, caller, id);
    await (mode === 'preview' ? requireAccepted(action, run) : controlOne(deps, caller, run, wanted));
    return { id, graph: run.graph.name, status: run.status };
  });
  const runs = tried.flatMap((one) => ('done' in one ? [one.done] : []));
  return {
    done: runs.map(({ id }) => id),
    failed: tried.flatMap((one) => ('refused' in one ? [toFailedItem(one.item, one.refused)] : [])),
    hasMore: nextCursor !== null,
    nextCursor,
    ...(mode === 'preview' && { runs }),
  };
}

interface SelectedRuns {
  readonly ids: readonly string[];
  readonly nextCursor: string | null;
}

async function selectRunIds(
  deps: ApiDeps,
  { tenantId }: Caller,
  { action, selection }: BulkControl,
): Promise<SelectedRuns> {
  if ('ids' in selection) return { ids: [...new Set(selection.ids)], nextCursor: null };
  const { filter, cursor } = selection;
  const asked = { list: ['bulk', tenantId, action, filter], limit: MAX_RUNS, cursor };
  const found = await readPageByCursor(deps.cursors, asked, (page) =>
    findRuns(deps, { tenantId, action, filter }, page),
  );
  return { ids: found.items, nextCursor: found.nextCursor };
}

function toFailedItem(id: string, { code, message: detail, mayTakeEffect }: ApiError): BulkResult['failed'][number] {
  return { id, code, detail, ...(mayTakeEffect && { mayTakeEffect }) };
}

async function requireAccepted(action: BulkAction, run: RunRecord): Promise<void> {
  if (!acceptsAction(action, run))
    throw new ApiError('NOT_ALLOWED_NOW', `The run is ${run.status}: it does not take ${action}`);
}

async function controlOne(
  deps: ApiDeps,
  caller: Caller,
  run: RunRecord,
  { action, reason, attempt, record }: BulkControl,
): Promise<void> {
  const act = { action: `run.${action}`, subject: run.id };
  await recordedAct(record, act, async () => {
    const bound = bindControl(run, action, reason === undefined ? {} : { reason });
    const result = await sendSignal(deps, caller, run, { name: action, attempt, ...bound });
    if (!result.taken) throw toApiError(hideRefusal(result.refusal, hiddenFrom(caller, run)));
  });
}
