import type { CompiledGraph } from '../compile/compile.ts';
import { Draft } from '../draft/draft.ts';
import { emitOfRun } from '../draft/emit.ts';
import { rootFrame } from '../draft/frames.ts';
import { scopeAt } from '../journal/resume-point.ts';
import { openCountdown } from '../lifecycle/deadlines.ts';
import { refuseReaching } from '../lifecycle/held-nodes.ts';
import { NOBODY_AWAITED } from '../run/compensation.ts';
import { carryChannels, freshScope } from '../run/fresh-scope.ts';
import { heldBytes } from '../run/held-bytes.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import { readRun } from '../run/run-format.ts';
import type { StoredRun } from '../run/run-format.ts';
import type { Run, Breakpoints } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/spending.ts';
import { enterScope } from '../superstep/enter-scope.ts';
import { toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { advanceDraft, signalEndedRun } from './advance.ts';
import type { Advance } from './advance.ts';
import { beginFork, refuseByParent } from './fork.ts';
import type { ForkStart } from './fork.ts';

/** The start of an execution: an input, the state of another run, or an ended run with a signal. */
export type Beginning =
  | ({ readonly kind: 'input' } & Omit<RunStart, 'startedAt'>)
  | ({ readonly kind: 'fork'; readonly fork: ForkStart } & Pick<RunStart, 'breakpoints'>)
  | { readonly kind: 'reopen'; readonly run: StoredRun; readonly name: string; readonly payload: JsonObject };

/**
 * Begins the run of an execution. A fork that is refused here fails: its creator has tried it with `forkRun` before.
 * @param now milliseconds since the epoch
 * @throws if a later version wrote the run to reopen; a worker of that version can take it
 */
export function beginRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { begin, now }: { readonly begin: Beginning; readonly now: number },
): Advance {
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: now });
    case 'reopen':
      return signalEndedRun(graph, readRun(begin.run), { ...begin, now });
    case 'fork': {
      const { fork } = begin;
      return advanceDraft(draftOfFork(graph, identity, { ...begin, startedAt: now }), (draft) => {
        const refusal = beginFork(draft, fork);
        return refusal ? { code: 'INTERNAL', message: refusal.message } : undefined;
      });
    }
  }
}

/** The identity of a run, given by its creator. */
export type RunIdentity = Pick<Run, 'id' | 'tenantId' | 'threadId' | 'graph' | 'createdBy' | 'limits'>;

/** The start of a new run. */
export interface RunStart {
  readonly input: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The first node; defaults to the targets of the edges of `__start__`. */
  readonly startAt?: string | null;
  readonly breakpoints?: Breakpoints;
  /** Initial channel values instead of the defaults. */
  readonly base?: Scope['channels'];
}

/** Begins a run and continues until it needs input from outside. */
export function startRun(graph: CompiledGraph, identity: RunIdentity, start: RunStart): Advance {
  const { input, startedAt, startAt = null, base = {} } = start;
  const fresh = freshRun(graph, identity, start);
  const root = { ...fresh.root, channels: carryChannels(graph, base) };
  return advanceDraft(new Draft(graph, { ...fresh, root }, startedAt), (draft) => enterRun(draft, input, startAt));
}

/** Begins a fork and continues until it needs input from outside. @returns the fork, or the reason for a refusal */
export function forkRun(graph: CompiledGraph, identity: RunIdentity, start: StartOfFork): Advance | Refusal {
  const draft = draftOfFork(graph, identity, start);
  try {
    return beginFork(draft, start.fork) ?? advanceDraft(draft, () => undefined);
  } catch (error) {
    return advanceDraft(draft, () => toRunError(error));
  }
}

/**
 * Refuses a fork with another graph that passes approvals of the graph of its parent.
 * @param graph of the parent
 */
export function refuseForkOf(graph: CompiledGraph, identity: RunIdentity, start: StartOfFork): Refusal | null {
  return refuseByParent(draftOfFork(graph, identity, start), start.fork);
}

/** Refuses to begin at a node that approvals hold. */
export function refuseStartAt(
  graph: CompiledGraph,
  node: string,
  { by, now }: { by: Principal; now: number },
): Refusal | null {
  const actor = { by, at: new Date(now).toISOString(), requesters: [by.sub], approvals: [] };
  return refuseReaching(graph, [node], actor);
}

type StartOfFork = Pick<RunStart, 'startedAt' | 'breakpoints'> & { readonly fork: ForkStart };

function draftOfFork(graph: CompiledGraph, identity: RunIdentity, { fork, ...start }: StartOfFork): Draft {
  const { parent, resumePoint } = fork;
  const { bufferedEvents, spent } = resumePoint;
  const { checkpoint: checkpointId } = parent;
  const root = scopeAt(graph, fork);
  const run = { ...freshRun(graph, identity, start), parent, bufferedEvents, spent, checkpointId, root };
  return new Draft(graph, { ...run, heldBytes: heldBytes(run) }, start.startedAt);
}

function freshRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { startedAt, breakpoints = { before: [], after: [] } }: Pick<RunStart, 'startedAt' | 'breakpoints'>,
): Run {
  return {
    format: 1,
    ...identity,
    raisedLimits: {},
    shapedBy: [],
    parent: null,
    startedAt,
    phase: { kind: 'running', pause: null },
    root: freshScope(graph),
    calls: {},
    timers: {},
    approvals: {},
    signalResults: [],
    counted: [],
    bufferedEvents: [],
    areBufferedEventsSaved: true,
    breakpoints,
    countdown: openCountdown(identity.limits),
    compensation: { pending: [], undone: null, failures: [], perhapsMade: [], ...NOBODY_AWAITED },
    spent: NOTHING_SPENT,
    heldBytes: 0,
    computed: { superstep: 0, alone: 0 },
    checkpointId: null,
    counters: { seq: 0, checkpoint: 0, approval: 0, occurrence: 0 },
  };
}

function enterRun(draft: Draft, input: JsonObject, startAt: string | null): RunError | undefined {
  const { run } = draft;
  emitOfRun(draft, { type: 'run.started', graph: run.graph, by: run.createdBy.sub });
  return enterScope(rootFrame(draft), { input, startAt }) ?? undefined;
}
