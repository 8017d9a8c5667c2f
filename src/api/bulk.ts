import pLimit from 'p-limit';
import { TAKEN_IN, isTakenIn } from '../graph/run/index.ts';

import { decideApproval } from './approvals/decide-approval.ts';
import type { ApprovalJson } from './schemas/approval.ts';
import type { DecisionBody } from './approvals/decide-approval.ts';
import { findWithRun } from './approvals/find-approval.ts';
import type { ApiDeps, RequestAttempt } from './deps.ts';
import type { Caller } from './http/authenticate.ts';
import { recordedAct } from './http/recorded-act.ts';
import type { RecordAct } from './http/recorded-act.ts';
import type { Page, PageRequest } from '../store/page.ts';
import type { RunFilter, RunRecord } from '../store/runs.ts';
import { isDatabaseAway } from '../store/database/database-away.ts';
import { ApiError, unavailable, toApiError } from './http/errors.ts';
import { hideRefusal } from '../graph/redaction/index.ts';
import { readPage } from './http/paging.ts';
import { hiddenFrom } from './redaction.ts';
import { findRun } from './runs/run-json.ts';
import { bindControl } from './runs/bind-control.ts';
import { sendSignal } from './runs/send-signal.ts';

export type NamedDecision = DecisionBody & { readonly approvalId: string };
export type TriedDecision = Tried<NamedDecision, ApprovalJson>;

interface ManyDecisions {
  readonly decisions: readonly NamedDecision[];
  readonly attempt: RequestAttempt;
  readonly record: RecordAct;
}

/** Decides approvals, each for itself. Tries of one request decide each of them once. @returns the results in order */
export async function decideMany(
  deps: ApiDeps,
  caller: Caller,
  { decisions, attempt, record }: ManyDecisions,
): Promise<readonly TriedDecision[]> {
  const at = new Date().toISOString();
  const named = { items: decisions, subjectOf: ({ approvalId }: NamedDecision) => approvalId };
  return await tryEach(deps, named, async (wanted, index) => {
    const { approvalId, decision } = wanted;
    const { run } = await findWithRun(deps, caller, approvalId);
    const request = { run, wanted, at, attempt: { ...attempt, id: `${attempt.id}-${index}` } };
    const act = { action: `approval.${decision}`, subject: approvalId };
    return await recordedAct(record, act, async () => await decideApproval(deps, caller, request));
  });
}

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
async function findRuns(
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
function takes(action: BulkAction, { status, view }: RunRecord): boolean {
  const isAsking = view?.waitingFor.some(({ kind }) => kind === 'intervention') ?? false;
  return isTakenIn(status, action) && (action !== 'retry' || status === 'failed' || isAsking);
}

/** The items of one request that are worked on at a time; other requests need connections, too. */
const TRIED_AT_ONCE = 8;

/** What came of the work for an item. */
export type Tried<Item, T> = { readonly item: Item } & ({ readonly done: T } | { readonly refused: ApiError });

type TryDeps = Pick<ApiDeps, 'logger'>;

interface ManyItems<Item> {
  readonly items: readonly Item[];
  /** What the log has of an item: an id. */
  readonly subjectOf: (item: Item) => string;
}

/**
 * Does work for each item, whatever comes of the others. Nothing more is begun once the database is away.
 * @returns the results in the order of the items
 */
export async function tryEach<Item, T>(
  { logger }: TryDeps,
  { items, subjectOf }: ManyItems<Item>,
  work: (item: Item, index: number) => Promise<T>,
): Promise<readonly Tried<Item, T>[]> {
  const limit = pLimit(TRIED_AT_ONCE);
  let away: ApiError | null = null;
  const tryOne = async (item: Item, index: number): Promise<Tried<Item, T>> => {
    if (away) return { item, refused: away };
    try {
      return { item, done: await work(item, index) };
    } catch (error) {
      const refused = toRefusal(error);
      if (isDatabaseAway(error)) away = refused;
      if (refused.cause !== undefined)
        logger.warn({ error: refused.cause, subject: subjectOf(item) }, 'a part of a request has failed');
      return { item, refused };
    }
  };
  return await Promise.all(items.map(async (item, index) => await limit(tryOne, item, index)));
}

function toRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseAway(error)) return unavailable('The database', error);
  return new ApiError('INTERNAL', 'The server failed; its log says why', { cause: error });
}

/** A part that was not done, as answers tell of it. */
interface Failed {
  readonly code: string;
  readonly mayTakeEffect?: boolean;
}

/** True if the same request may do more than it has: its key must not keep the answer. */
export function mayBeDoneLater({ code, mayTakeEffect = false }: Failed): boolean {
  return mayTakeEffect || code === 'UNAVAILABLE' || code === 'INTERNAL';
}

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
