import type { Approval } from './approval.ts';
import type { Checkpoint } from './checkpoint.ts';
import { DEADLINE_TIMER, keepTime, openClock } from './clock.ts';
import { keepTimeOfNodes } from './node-clocks.ts';
import { closeDown } from './close-down.ts';
import type { CompiledGraph } from './compile.ts';
import { emit, openDraft } from './draft.ts';
import type { Draft } from './draft.ts';
import type { Effect } from './effect.ts';
import { enterScope } from './enter-scope.ts';
import { toRunError } from './errors.ts';
import type { RunError } from './errors.ts';
import type { RunEvent, RunEventBody } from './events.ts';
import { openFrames, rootFrame } from './frames.ts';
import { beginFork } from './fork.ts';
import type { ForkStart } from './fork.ts';
import { carryOver, freshScope } from './fresh-scope.ts';
import { handleOccurrence } from './handle-occurrence.ts';
import type { JsonObject } from './json.ts';
import type { Occurrence, RecordedSignal } from './occurrence.ts';
import { NOTHING_SPENT, isEnded } from './run.ts';
import { scopeAt } from './place.ts';
import type { Breakpoints, Cancellation, EndedStatus, Refusal, Run } from './run.ts';
import type { Scope } from './scope.ts';
import { receive } from './signals/receive.ts';
import { drive, outputOf } from './superstep.ts';
import type { Standing } from './superstep.ts';
import { cancelTimer } from './tasks.ts';
import { leftBehind, statusWhileUndoing, undoNext } from './undo.ts';
import { withdraw } from './withdraw.ts';

/** What one step of the interpreter gives: the run as it is then, what is to be done, and what the journal will say. */
export interface Advance {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** Approvals that are new or have changed. */
  readonly approvals: readonly Approval[];
  /** Signals that were taken in, for a replay. */
  readonly signals: readonly RecordedSignal[];
  /** There is more to do at once; a `continue` goes on when the journal is written. */
  readonly more: boolean;
}

/** Who and what a run is; the rest of its state follows. */
export type RunIdentity = Pick<Run, 'id' | 'tenantId' | 'threadId' | 'graph' | 'createdBy' | 'limits'>;

/** What a run begins with. */
export interface RunStart {
  readonly input: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** A node to begin with instead of those that the edges of `__start__` lead to. */
  readonly startAt?: string | null;
  readonly breakpoints?: Breakpoints;
  /** Values of channels that the run goes on from instead of their defaults. */
  readonly base?: Scope['channels'];
}

/** Begins a run and takes it as far as it gets without the outside. */
export function startRun(graph: CompiledGraph, identity: RunIdentity, start: RunStart): Advance {
  const { input, startedAt, startAt = null, base = {} } = start;
  const fresh = freshRun(graph, identity, start);
  const root = { ...fresh.root, channels: carryOver(graph, base) };
  return step(graph, { ...fresh, root }, { now: startedAt, act: (draft) => begin(draft, input, startAt) });
}

/** Begins a fork of another run. @returns why it can't begin, or the fork as far as it gets without the outside */
export function forkRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { fork, ...start }: { readonly fork: ForkStart } & Pick<RunStart, 'startedAt' | 'breakpoints'>,
): Advance | Refusal {
  const { parent, place } = fork;
  const fresh = freshRun(graph, identity, start);
  const { events, spent } = place;
  const run = { ...fresh, parent, events, spent, checkpointId: parent.checkpoint, root: scopeAt(graph, fork) };
  const draft = openDraft(graph, run, start.startedAt);
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
    endedAt: null,
    status: 'running',
    root: freshScope(graph),
    calls: {},
    timers: {},
    approvals: {},
    outcomes: [],
    events: [],
    areEventsSaved: true,
    breakpoints,
    pause: null,
    clock: openClock(identity.limits),
    cancellation: null,
    toUndo: [],
    undone: 0,
    notUndone: [],
    failing: null,
    error: null,
    output: null,
    spent: NOTHING_SPENT,
    checkpointId: null,
    counters: { seq: 0, checkpoint: 0, approval: 0, signal: 0 },
  };
}

/**
 * Takes one occurrence and runs as far as the run gets without the outside. Pure: the given run stays as it was.
 * A run that has ended changes no more.
 */
export function advance(graph: CompiledGraph, run: Run, occurrence: Occurrence): Advance {
  const act = (draft: Draft): RunError | void => handleOccurrence(draft, occurrence);
  return step(graph, run, { now: occurrence.at, act: isEnded(run.status) ? () => undefined : act });
}

/**
 * Takes a signal for a run that has ended, and has it go on if that is what the signal is for: `retry`, `skip`,
 * `replan`, `edit`. What became of it is in the run's outcomes. Pure, as `advance`.
 */
export function reopenRun(
  graph: CompiledGraph,
  run: Run,
  { at, name, payload }: { at: number; name: string; payload: JsonObject },
): Advance {
  return step(graph, run, { now: at, act: (draft) => receive(draft, name, payload) });
}

function step(
  graph: CompiledGraph,
  run: Run,
  { now, act }: { now: number; act: (draft: Draft) => RunError | void },
): Advance {
  const draft = openDraft(graph, run, now);
  return finish(draft, () => act(draft));
}

function finish(draft: Draft, act: () => RunError | void): Advance {
  const more = proceed(draft, act);
  const { run, effects, events, checkpoints, approvals, signals } = draft;
  return { run, effects, events, checkpoints, approvals: [...approvals.values()], signals, more };
}

function proceed(draft: Draft, act: () => RunError | void): boolean {
  try {
    const failure = act();
    if (isEnded(draft.run.status)) return false;
    return settle(draft, failure ? { kind: 'failed', error: failure } : standingOf(draft));
  } catch (error) {
    return settle(draft, { kind: 'failed', error: toRunError(error) });
  }
}

function begin(draft: Draft, input: JsonObject, startAt: string | null): RunError | undefined {
  const frame = rootFrame(draft);
  const { run } = draft;
  emit(draft, frame, { type: 'run.started', graph: run.graph, by: run.createdBy.sub });
  return enterScope(draft, frame, { input, startAt }) ?? undefined;
}

/** A paused run takes what comes and goes no further; one that is being canceled only waits for its calls. */
function standingOf(draft: Draft): Standing {
  const { run } = draft;
  if (run.cancellation) return { kind: 'waiting' };
  if (run.failing) return { kind: 'failed', error: run.failing };
  if (run.status === 'paused') return { kind: 'paused' };
  const standing = drive(draft, rootFrame(draft));
  return standing.kind === 'waiting' && run.pause ? { kind: 'paused' } : standing;
}

/** Gives the run its status. @returns whether it has more to do at once */
function settle(draft: Draft, standing: Standing): boolean {
  const { run } = draft;
  const isBusy = Object.keys(run.calls).length > 0;
  if (run.cancellation) {
    const hasMore = !isBusy && cancel(draft, run.cancellation);
    keepTimeOfNodes(draft);
    return hasMore;
  }
  switch (standing.kind) {
    case 'finished':
      run.output = outputOf(rootFrame(draft));
      end(draft, 'completed', { type: 'run.completed', output: run.output });
      break;
    case 'failed':
      fail(draft, standing.error, isBusy);
      break;
    case 'paused':
      if (isBusy) run.status = 'running';
      else pauseRun(draft);
      break;
    case 'waiting':
      run.status = isBusy ? 'running' : 'waiting';
      break;
    case 'full':
      run.status = 'running';
  }
  keepTime(draft);
  return standing.kind === 'full';
}

/** What the calls that are out have done has to be known before the run is over. */
function fail(draft: Draft, error: RunError, isBusy: boolean): void {
  const { run } = draft;
  if (!run.failing) withdraw(draft);
  if (isBusy || undoNext(draft)) {
    run.failing = error;
    run.status = statusWhileUndoing(run);
    return;
  }
  const cause = leftBehind(draft);
  run.error = cause ? { ...error, cause } : error;
  end(draft, 'failed', { type: 'run.failed', error: run.error });
}

/**
 * Once the calls that were out have come back, what was done is undone, and the graph may have the last word.
 * @returns whether the run has more to do at once
 */
function cancel(draft: Draft, { by, reason }: Cancellation): boolean {
  const closing = undoNext(draft) ? 'waiting' : closeDown(draft);
  draft.run.status = statusWhileUndoing(draft.run);
  if (closing === 'over') {
    const cause = leftBehind(draft);
    draft.run.error = cause ? { code: 'CANCELED', message: `Canceled by ${by}`, cause } : null;
    end(draft, 'canceled', { type: 'run.canceled', by, reason });
  }
  return closing === 'full';
}

function pauseRun(draft: Draft): void {
  const { run } = draft;
  if (run.status === 'paused') return;
  run.status = 'paused';
  const nodes = openFrames(draft).flatMap(({ scope }) => scope.hold?.nodes ?? []);
  const { by, reason } = run.pause ?? { by: 'breakpoint', reason: null };
  emit(draft, rootFrame(draft), { type: 'run.paused', reason, nodes, by });
}

function end(draft: Draft, status: EndedStatus, event: RunEventBody): void {
  withdraw(draft);
  cancelTimer(draft, DEADLINE_TIMER);
  draft.run.status = status;
  draft.run.endedAt = draft.now;
  emit(draft, rootFrame(draft), event);
}
