import { hideRefusal } from '../../graph/redaction/index.ts';
import type { RunFilter } from '../../store/run-search/run-filter.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { readPage } from '../http/paging.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { findRun } from '../runs/find-run.ts';
import { bindControl } from '../runs/bind-control.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { findRuns, takes } from './find-runs.ts';
import type { BulkAction } from './find-runs.ts';
import { tryEach } from './try-each.ts';

/** Runs by their ids, or those of the tenant that fulfill a filter and take the action, from a cursor on. */
export type ChosenRuns =
  | { readonly ids: readonly string[] }
  | { readonly filter: RunFilter; readonly cursor?: string | undefined };

export interface BulkControl {
  readonly action: BulkAction;
  readonly chosen: ChosenRuns;
  /** Why, for those who read the run. */
  readonly reason?: string | undefined;
  /** `preview`: says which runs would take it, and changes nothing. */
  readonly mode: 'preview' | 'do';
  readonly attempt: RequestAttempt;
  readonly record: RecordAct;
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
  /** More runs fulfill the filter: the cursor goes on with them. */
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  /** Of a preview: what the runs in `done` are. */
  readonly runs?: readonly PreviewedRun[];
}

interface PreviewedRun {
  readonly id: string;
  readonly graph: string;
  readonly status: RunRecord['status'];
}

/** The runs that one request changes. */
const MAX_RUNS = 1_000;

/** Controls many runs, each as its own control would. The runs of a filter are those of the caller's tenant. */
export async function controlMany(deps: ApiDeps, caller: Caller, wanted: BulkControl): Promise<BulkResult> {
  const { action, mode } = wanted;
  const { ids, nextCursor } = await idsOf(deps, caller, wanted);
  const tried = await tryEach(deps, { items: ids, subjectOf: (id) => id }, async (id) => {
    const run = await findRun(deps, caller, id);
    await (mode === 'preview' ? requireTaken(action, run) : control(deps, caller, { run, wanted }));
    return { id, graph: run.graph.name, status: run.status };
  });
  const runs = tried.flatMap((one) => ('done' in one ? [one.done] : []));
  return {
    done: runs.map(({ id }) => id),
    failed: tried.flatMap((one) => ('refused' in one ? [toFailed(one.item, one.refused)] : [])),
    hasMore: nextCursor !== null,
    nextCursor,
    ...(mode === 'preview' && { runs }),
  };
}

interface Chosen {
  readonly ids: readonly string[];
  readonly nextCursor: string | null;
}

async function idsOf(deps: ApiDeps, { tenantId }: Caller, { action, chosen }: BulkControl): Promise<Chosen> {
  if ('ids' in chosen) return { ids: [...new Set(chosen.ids)], nextCursor: null };
  const { filter, cursor } = chosen;
  const asked = { list: ['bulk', tenantId, action, filter], limit: MAX_RUNS, cursor };
  const found = await readPage(deps.cursors, asked, (page) => findRuns(deps, { tenantId, action, filter }, page));
  return { ids: found.items, nextCursor: found.nextCursor };
}

function toFailed(id: string, { code, message: detail, mayTakeEffect }: ApiError): FailedControl {
  return { id, code, detail, ...(mayTakeEffect && { mayTakeEffect }) };
}

async function requireTaken(action: BulkAction, run: RunRecord): Promise<void> {
  if (!takes(action, run))
    throw new ApiError('NOT_ALLOWED_NOW', `The run is ${run.status}: it does not take ${action}`);
}

async function control(
  deps: ApiDeps,
  caller: Caller,
  { run, wanted: { action, reason, attempt, record } }: { readonly run: RunRecord; readonly wanted: BulkControl },
): Promise<void> {
  const act = { action: `run.${action}`, subject: run.id };
  await recordedAct(record, act, async () => {
    const result = await sendSignal(deps, caller, {
      run,
      signal: { name: action, attempt, ...bindControl(run, action, reason === undefined ? {} : { reason }) },
    });
    if (!result.taken) throw toApiError(hideRefusal(result.refusal, hiddenFrom(caller, run)));
  });
}
