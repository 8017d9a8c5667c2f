import { childFrame, frameOutput, tasksOfFrame, TaskHandle, emitTask, keyOfCall } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { mustYield, mustYieldBeforeUninterruptible } from '../draft/load.ts';
import { tasksOfScope } from '../run/scope-position.ts';
import type { ScopePosition, NodeTask, SavedProgress, Scope, TaskState } from '../run/scope.ts';
import {
  isFinished,
  isTaskOver,
  hasNotBegun,
  batchAtPosition,
  progressAtPosition,
  awaitedBudget,
  wantsCapacity,
} from '../run/task-position.ts';
import { otherCause } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { closeSuperstep } from './close-superstep.ts';
import { enterScope, openNextSuperstep, addOpen, isGroupFull, openByGroup, removeOpen } from './open-superstep.ts';
import type { StopReason, OpenByGroup } from './open-superstep.ts';
import { endFailingTask } from './fail-task.ts';
import { triggerNextNodes } from './edges.ts';
import { resumeTask, askAgain, startTask } from './run-task.ts';
import type { GraphCallResult } from '../nodes/behavior.ts';
import { countdownLeftAt } from '../run/limits.ts';
import { mayOpenCall } from '../run/status.ts';
import { own } from '../values/json.ts';
import { isBudgetAvailable, mustWaitForBudget, reservedTotals } from './budget.ts';
import type { ReservedTotals } from './budget.ts';

/** Runs supersteps until the graph needs input from outside. */
export function runSupersteps(frame: Frame): StopReason {
  for (;;) {
    const standing = moveOn(frame, frame.scope.at);
    if (standing) return standing;
    if (mustYield(frame.draft)) return { kind: 'yielded' };
  }
}

type PositionOf<Kind extends ScopePosition['kind']> = ScopePosition & { readonly kind: Kind };

/** What a graph does at each position. Each function returns why the graph stops; `null` if it can continue. */
const MOVES: { readonly [K in ScopePosition['kind']]: (frame: Frame, at: PositionOf<K>) => StopReason | null } = {
  ready: openNextSuperstep,
  running: workOnSuperstep,
  edges: leaveNodes,
  before: () => ({ kind: 'paused' }),
  after: () => ({ kind: 'paused' }),
};

function moveOn<K extends ScopePosition['kind']>(frame: Frame, at: PositionOf<K>): StopReason | null {
  const move: (frame: Frame, at: PositionOf<K>) => StopReason | null = MOVES[at.kind];
  return move(frame, at);
}

/** Evaluates the edges of finished nodes, and opens the next superstep. */
function leaveNodes(frame: Frame): StopReason | null {
  const failure = triggerNextNodes(frame);
  return failure ? { kind: 'failed', error: failure } : moveOn(frame, frame.scope.at);
}

/** Starts ready tasks, runs open subgraphs, and closes the superstep when all tasks are over. */
function workOnSuperstep(frame: Frame): StopReason | null {
  if (startTasks(frame)) return { kind: 'yielded' };
  const inside = runSubgraphs(frame);
  if (inside === 'yielded') return { kind: 'yielded' };
  if (inside === 'returned') return null;
  const tasks = tasksOfScope(frame.scope);
  if (
    !tasks.every(isTaskOver) &&
    !(isLostSuperstep(frame) && tasks.every((task) => isTaskOver(task) || hasNotBegun(task)))
  )
    return { kind: inside };
  const [first, second] = tasks.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure.error] : []));
  if (first) return { kind: 'failed', error: withSecondFailure(first, second) };
  if (mustYieldBeforeUninterruptible(frame.draft)) return { kind: 'yielded' };
  const failure = closeSuperstep(frame, tasks.filter(isFinished));
  if (failure) return { kind: 'failed', error: failure };
  return frame.path.length === 0 && frame.draft.run.phase.kind === 'closing-failed' ? { kind: 'finished' } : null;
}

/** The reason why open subgraphs do not continue. `returned`: the task of a subgraph has received its output or failure. */
type SubgraphResult = Exclude<StopReason['kind'], 'finished' | 'failed'> | 'returned';

/** Runs each open subgraph. @returns the combined state; `waiting` without subgraphs */
function runSubgraphs(frame: Frame): SubgraphResult {
  let combined: SubgraphResult = 'waiting';
  if (!frame.graph.hasSubgraphs) return combined;
  for (const handle of tasksOfFrame(frame)) {
    const child = childFrame(handle);
    if (!child) continue;
    const standing = runSubgraph(handle, child);
    if (standing === 'yielded') return 'yielded';
    if (standing === 'returned' || combined === 'waiting') combined = standing;
  }
  return combined;
}

function runSubgraph(handle: TaskHandle, child: Frame): SubgraphResult {
  if (child.isFailing) return endFailingTask(handle) ? 'returned' : 'waiting';
  if (handle.node.callsGraphs) return runGraphCalls(handle, child);
  const standing = enterSubgraph(handle, child) ?? runSupersteps(child);
  switch (standing.kind) {
    case 'finished':
      resumeTask(handle, { kind: 'subgraph.finished', output: frameOutput(child) });
      return 'returned';
    case 'failed':
      resumeTask(handle, { kind: 'subgraph.failed', error: standing.error });
      return 'returned';
    default:
      return standing.kind;
  }
}

/** Runs the graphs that a task calls as tools, and delivers the results of those that have ended to the task. */
function runGraphCalls(handle: TaskHandle, child: Frame): SubgraphResult {
  if (startTasks(child)) return 'yielded';
  const timesLeft = timesLeftIn(child);
  const standing = runSubgraphs(child);
  if (standing === 'yielded') return 'yielded';
  const results = resultsInside(handle, child.scope, timesLeft);
  for (const result of results) {
    emitResult(handle, result);
    resumeTask(handle, result);
  }
  return results.length > 0 ? 'returned' : standing;
}

/**
 * Enters a subgraph that has not begun.
 * @returns its failure if its input can't be written, or `yielded` if the draft must yield first
 */
function enterSubgraph({ task: { state } }: TaskHandle, child: Frame): StopReason | null {
  if (child.scope.step >= 0 || state.phase !== 'open' || state.position.kind !== 'subgraph') return null;
  if (mustYieldBeforeUninterruptible(child.draft)) return { kind: 'yielded' };
  const error = enterScope(child, state.position.input);
  return error && { kind: 'failed', error };
}

/** Adds a second error as the cause of the first, unless the first has a cause other than a stack position. */
function withSecondFailure(first: RunError, second: RunError | undefined): RunError {
  if (!second || otherCause(first)) return first;
  return { ...first, cause: { code: second.code, message: `Also: ${second.message}` } };
}

/** The milliseconds that graph calls have left of their deadlines, by the calls' numbers. */
type TimesLeft = ReadonlyMap<NodeTask['index'], number>;

/** Returns the time left of the graph calls in a scope that are open, or whose deadline has passed. */
function timesLeftIn({ draft, scope }: Frame): TimesLeft {
  const left = new Map<NodeTask['index'], number>();
  for (const { index, state } of tasksOfScope(scope)) {
    const work = timedWork(state);
    if (work?.kind === 'subgraph' && work.countdown) left.set(index, countdownLeftAt(work.countdown, draft.now));
  }
  return left;
}

function timedWork(state: TaskState): SavedProgress | null {
  if (state.phase === 'open') return progressAtPosition(state.position);
  return state.phase === 'failed' && state.failure.error.code === 'TIMEOUT' ? state.saved : null;
}

/** Returns the results of graph calls that have ended and that their task waits for. */
function resultsInside(
  { task: { state } }: TaskHandle,
  inside: Scope,
  timesLeft: TimesLeft,
): readonly GraphCallResult[] {
  const calls = state.phase === 'open' ? batchAtPosition(state.position) : [];
  const awaited = new Set<number | null>(calls.flatMap((call) => (call.state.phase === 'inside' ? [call.number] : [])));
  return tasksOfScope(inside).flatMap(({ index, state: ended }): readonly GraphCallResult[] => {
    if (index === null || !awaited.has(index)) return [];
    const call = { number: index, leftMs: timesLeft.get(index) ?? null };
    if (ended.phase === 'failed') return [{ kind: 'graph.failed', ...call, failure: ended.failure }];
    if (ended.phase !== 'completed' || ended.outcome.kind !== 'done') return [];
    return [{ kind: 'graph.finished', ...call, output: ended.outcome.result }];
  });
}

/** Records the end of a graph call. */
function emitResult(handle: TaskHandle, result: GraphCallResult): void {
  const { state } = handle.task;
  const calls = state.phase === 'open' ? batchAtPosition(state.position) : [];
  const call = calls.find((one) => one.state.phase === 'inside' && one.number === result.number);
  if (!call) return;
  const { draft } = handle;
  emitTask(handle, {
    type: 'tool.called',
    tool: call.tool,
    ...(result.kind === 'graph.finished' ? { result: result.output } : { error: result.failure.error }),
    attempts: 1,
    durationMs: draft.now - (call.begunAt ?? draft.now),
    idempotencyKey: keyOfCall(handle, call.number),
  });
}

/**
 * True if a superstep can't succeed any more: one of its tasks has failed for good, so no other task begins. A retry
 * begins them. Graphs that a model calls as tools fail independently.
 */
export function isLostSuperstep({ scope, parent }: Frame): boolean {
  return parent?.node.callsGraphs !== true && tasksOfScope(scope).some(({ state }) => state.phase === 'failed');
}

/**
 * Starts ready tasks, renews withdrawn approvals, and resumes tasks that wait for concurrency or budgets, as far as
 * these allow.
 * @returns true if the draft must yield before all of them are started
 */
function startTasks(frame: Frame): boolean {
  const { draft } = frame;
  const groups = openByGroup(tasksOfScope(frame.scope));
  let reserved = reservedTotals(draft);
  let lost = isLostSuperstep(frame);
  for (const [index, task] of tasksOfScope(frame.scope).entries()) {
    if (lost && hasNotBegun(task)) continue;
    if (isTaskOver(task) || waitsForGroup(task, groups)) continue;
    const handle = new TaskHandle(frame, task, index);
    if (!mayStartOrContinue(handle, reserved)) continue;
    if (!mayOpenCall(draft.run)) return false;
    if (mustYield(draft)) return true;
    startOrContinue(handle, groups);
    reserved = reservedTotals(draft);
    lost ||= handle.task.state.phase === 'failed' && isLostSuperstep(frame);
  }
  return false;
}

function waitsForGroup({ state, group }: NodeTask, groups: OpenByGroup): boolean {
  return state.phase === 'ready' && isGroupFull(group, groups);
}

function startOrContinue(handle: TaskHandle, groups: OpenByGroup): void {
  if (handle.task.state.phase === 'ready') {
    startTask(handle);
    return addOpen(handle.task, groups);
  }
  if (isWithdrawn(handle)) askAgain(handle);
  else resumeTask(handle, { kind: 'capacity' });
  if (isTaskOver(handle.task)) removeOpen(handle.task, groups);
}

/** True if a task may start or make another call, without regard to `maxConcurrency`. */
function mayStartOrContinue(handle: TaskHandle, reserved: ReservedTotals): boolean {
  return handle.task.state.phase === 'ready' ? mayStartTask(handle, reserved) : mayContinue(handle, reserved);
}

/** A node that starts with a model call waits until the budgets allow it. */
function mayStartTask({ draft, node }: TaskHandle, reserved: ReservedTotals): boolean {
  return !node.asksModel || isBudgetAvailable(draft, reserved);
}

function mayContinue(handle: TaskHandle, reserved: ReservedTotals): boolean {
  const { draft, task } = handle;
  const { state } = task;
  if (state.phase !== 'open') return false;
  if (isWithdrawn(handle)) return true;
  const needs = awaitedBudget(state.position);
  return needs ? !mustWaitForBudget(draft, needs, reserved) : wantsCapacity(state.position);
}

/** True if an edit has withdrawn an approval of a task that has not been requested again yet. */
function isWithdrawn({ draft, task: { state } }: TaskHandle): boolean {
  if (state.phase !== 'open' || state.position.kind !== 'approval') return false;
  return own(draft.run.approvals, state.position.approvalId)?.status !== 'pending';
}
