import type { CompiledGraph } from '../compile/compile.ts';
import { scopeAt } from '../journal/resume-point.ts';
import { openCountdown } from '../lifecycle/deadlines.ts';
import { carryChannels, freshScope } from '../run/fresh-scope.ts';
import type { Refusal } from '../run/refusal.ts';
import { readRun } from '../run/run-format.ts';
import type { KeptRun } from '../run/run-format.ts';
import type { Run, Breakpoints } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/spending.ts';
import { Draft, emitOfRun } from '../superstep/draft.ts';
import { enterScope } from '../superstep/enter-scope.ts';
import { rootFrame } from '../superstep/frames.ts';
import { toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { reopenRun, step, finish } from './advance.ts';
import type { Advance } from './advance.ts';
import { beginFork } from './fork.ts';
import type { ForkStart } from './fork.ts';

/** The start of an execution: an input, the state of another run, or an ended run with a signal. */
export type Beginning =
  | ({ readonly kind: 'input' } & Omit<RunStart, 'startedAt'>)
  | ({ readonly kind: 'fork'; readonly fork: ForkStart } & Pick<RunStart, 'breakpoints'>)
  | { readonly kind: 'reopen'; readonly run: KeptRun; readonly name: string; readonly payload: JsonObject };

/** Creates the run of an execution. @param at milliseconds since the epoch */
export function beginRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { begin, at }: { readonly begin: Beginning; readonly at: number },
): Advance {
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: at });
    case 'reopen':
      return reopenRun(graph, readRun(begin.run), { ...begin, at });
    case 'fork': {
      const forked = forkRun(graph, identity, { ...begin, startedAt: at });
      if ('code' in forked) throw new TypeError(forked.message);
      return forked;
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
  return step(graph, { ...fresh, root }, { now: startedAt, act: (draft) => begin(draft, input, startAt) });
}

/** Begins a fork and continues until it needs input from outside. @returns the fork, or the reason for a refusal */
export function forkRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { fork, ...start }: { readonly fork: ForkStart } & Pick<RunStart, 'startedAt' | 'breakpoints'>,
): Advance | Refusal {
  const { parent, resumePoint } = fork;
  const fresh = freshRun(graph, identity, start);
  const { bufferedEvents, spent } = resumePoint;
  const run = {
    ...fresh,
    parent,
    bufferedEvents,
    spent,
    checkpointId: parent.checkpoint,
    root: scopeAt(graph, fork),
  };
  const draft = new Draft(graph, run, start.startedAt);
  try {
    const refusal = beginFork(draft, fork);
    if (refusal) return refusal;
  } catch (error) {
    return finish(draft, () => toRunError(error));
  }
  return finish(draft, () => undefined);
}

function freshRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { startedAt, breakpoints = { before: [], after: [] } }: Pick<RunStart, 'startedAt' | 'breakpoints'>,
): Run {
  return {
    format: 1,
    ...identity,
    parent: null,
    startedAt,
    phase: { kind: 'running', pause: null },
    root: freshScope(graph),
    calls: {},
    timers: {},
    approvals: {},
    outcomes: [],
    counted: [],
    bufferedEvents: [],
    areBufferedEventsSaved: true,
    breakpoints,
    countdown: openCountdown(identity.limits),
    compensation: { pending: [], doneCount: 0, failures: [], unknown: null },
    spent: NOTHING_SPENT,
    checkpointId: null,
    counters: { seq: 0, checkpoint: 0, approval: 0, occurrence: 0 },
  };
}

function begin(draft: Draft, input: JsonObject, startAt: string | null): RunError | undefined {
  const { run } = draft;
  emitOfRun(draft, { type: 'run.started', graph: run.graph, by: run.createdBy.sub });
  return enterScope(rootFrame(draft), { input, startAt }) ?? undefined;
}
