import type { GraphDefinition, Limits } from '../../graph/definition/index.ts';
import type { InheritedRedaction } from '../../graph/redaction/index.ts';
import type { Breakpoints } from '../../graph/run/index.ts';
import { didYouMean, withSuggestions } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { MAX_QUEUED } from '../../store/thread-queue.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import { requirePermission, toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import { requireMayStart, requireGraphSwitchedOn } from '../administration/require-may-start.ts';
import { acceptAndDispatch, unlessAccepted } from './dispatch-run.ts';
import { newRun, newIdentity, pinGraph, requireInput } from './new-run.ts';
import type { PinnedGraph } from './new-run.ts';

/** A run as a caller requests it. */
export interface WantedRun {
  readonly graph: Json;
  readonly input: JsonObject;
  readonly threadId: string | null;
  readonly onBusy: NewRun['onBusy'];
  readonly limits: Limits;
  readonly startAt: string | null;
  readonly breakpoints: Breakpoints;
  readonly metadata: JsonObject;
  /** The parts of the input that are redacted already; none by default. */
  readonly inherited?: InheritedRedaction;
}

/** Completes a run by the defaults of `POST /api/runs`. */
export function plainRun(run: Pick<WantedRun, 'graph' | 'input'> & Partial<WantedRun>): WantedRun {
  return {
    threadId: null,
    onBusy: 'reject',
    limits: {},
    startAt: null,
    breakpoints: { before: [], after: [] },
    metadata: {},
    ...run,
  };
}

export type StartDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

/**
 * Accepts a run and dispatches it if possible; otherwise the sweeper does so later.
 * @param id the id of the run; a repeated request with the same id creates no second run and is not refused
 * @throws ApiError 403 when the caller may not interrupt other runs, the tenant is suspended or the graph is switched off;
 * 409 when the thread is busy; 429 when the tenant's quota is used up
 */
export async function startRun(deps: StartDeps, caller: Caller, id: string, wanted: WantedRun): Promise<void> {
  if (wanted.onBusy === 'interrupt') requirePermission(caller, 'run:control');
  await unlessAccepted(deps, id, async () => await acceptRun(deps, caller, id, wanted));
}

async function acceptRun(deps: StartDeps, caller: Caller, id: string, wanted: WantedRun): Promise<void> {
  const { tenantId, permissions, sub: createdBy } = caller;
  await requireMayStart(deps, { tenantId, id });
  const valid = await resolveGraph(wanted.graph, { ...deps, tenantId, permissions }, id);
  await requireGraphSwitchedOn(deps, tenantId, valid.name);
  const pinned = await pinGraph(deps, tenantId, {
    valid,
    limits: wanted.limits,
    inherited: wanted.inherited ?? {},
  });
  await checkWantedRun(deps, caller, pinned, wanted);
  const { threadId, onBusy, input, metadata, startAt, breakpoints } = wanted;
  const identity = newIdentity(pinned, caller, { id, tenantId, threadId });
  const begin = { kind: 'input', input, startAt, breakpoints } as const;
  const run = newRun(pinned, { identity, begin, threadId, onBusy, input, metadata, createdBy });
  if ((await acceptAndDispatch(deps, run)) === 'busy')
    throw new ApiError('THREAD_BUSY', BUSY[onBusy](String(threadId)));
}

const queueIsFull = (thread: string): string => `${MAX_QUEUED} runs wait in the queue of the thread ${thread} already`;

const BUSY: Readonly<Record<NewRun['onBusy'], (thread: string) => string>> = {
  reject: (thread) => `A run of the thread ${thread} is not over yet; see onBusy`,
  enqueue: queueIsFull,
  interrupt: queueIsFull,
};

/**
 * @throws ApiError 422 when the graph does not accept the input, the nodes or the limits; 403 when the run would start
 * after an approval that the caller may not decide
 */
async function checkWantedRun(
  { graphJobs }: Pick<ApiDeps, 'graphJobs'>,
  caller: Caller,
  pinned: PinnedGraph,
  wanted: WantedRun,
): Promise<void> {
  const { tenantId } = caller;
  const { input, startAt } = wanted;
  await requireInput({ graphJobs }, tenantId, pinned, input);
  requireNodes(pinned.definition, wanted);
  if (pinned.limits.refusal) throw toApiError(pinned.limits.refusal);
  if (startAt === null) return;
  const by = toPrincipal(caller);
  const refusal = await graphJobs.do('refuseStartAt', tenantId, toRunnable(pinned), startAt, by, Date.now());
  if (refusal) throw toApiError(refusal);
}

/** @throws ApiError 422 when a named node is not in the graph */
function requireNodes({ nodes }: GraphDefinition, { startAt, breakpoints }: WantedRun): void {
  const named = [
    ...(startAt === null ? [] : [{ path: '/startAt', name: startAt }]),
    ...breakpoints.before.map((name, at) => ({ path: `/interruptBefore/${at}`, name })),
    ...breakpoints.after.map((name, at) => ({ path: `/interruptAfter/${at}`, name })),
  ];
  const known = Object.keys(nodes);
  const issues = withSuggestions(() =>
    named
      .filter(({ path, name }) => !Object.hasOwn(nodes, name) && (name !== '*' || path === '/startAt'))
      .map(({ path, name }) => ({ path, message: `There is no node "${name}".${didYouMean(name, known)}` })),
  );
  if (issues.length > 0) throw new ApiError('INVALID_REQUEST', 'The graph has no such node', { issues });
}
