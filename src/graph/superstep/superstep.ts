import { applyWrites } from '../channels/apply-writes.ts';
import type { Applied, Channels, Write } from '../channels/apply-writes.ts';
import { END } from '../definition/definition.ts';
import { awaitedBudget, wantsCapacity, isSettled } from '../run/position.ts';
import type { SettledTask } from '../run/position.ts';
import type { NodeTask, TaskState, Trigger } from '../run/scope.ts';
import type { RunError } from '../values/errors.ts';
import { own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { stopBefore, stopsAmong } from './breakpoints.ts';
import { isBudgetAvailable, mustWaitForBudget, reservedTotals } from './budget.ts';
import type { ReservedTotals } from './budget.ts';
import { emit, mustYield, reduceContext } from './draft.ts';
import type { Draft, Frame } from './draft.ts';
import { enterScope } from './enter-scope.ts';
import { fire, previewNext, trigger } from './fire-edges.ts';
import { childFrame, tasksOf } from './frames.ts';
import type { TaskFrame } from './frames.ts';
import { isGroupFull, openByGroup, occupy, planTasks } from './plan-tasks.ts';
import type { OpenByGroup } from './plan-tasks.ts';
import { endFailing, resumeTask, startTask } from './run-task.ts';
import { saveCheckpoint } from './save-checkpoint.ts';
import { hasCapacity } from './task-context.ts';

/** How far a scope got: it waits for something outside, has nothing left to do, can't go on, or should let the shell catch up first. */
export type Standing =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly error: RunError }
  | { readonly kind: 'full' };

/** Runs supersteps, one after the other, as far as they go without the outside. */
export function runSupersteps(draft: Draft, frame: Frame): Standing {
  for (;;) {
    const standing = frame.scope.superstep ? workOn(draft, frame, frame.scope.superstep.tasks) : openNext(draft, frame);
    if (standing) return standing;
    if (mustYield(draft)) return { kind: 'full' };
  }
}

/** Starts what can be started, goes on inside subgraphs, and closes the superstep when all of it is over. */
function workOn(draft: Draft, frame: Frame, tasks: NodeTask[]): Standing | null {
  if (startReady(draft, frame)) return { kind: 'full' };
  const inside = driveChildren(draft, frame);
  if (inside === 'full') return { kind: 'full' };
  if (inside === 'settled') return null;
  const settled = tasks.filter(isSettled);
  const failures = tasks.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure.error] : []));
  if (settled.length + failures.length < tasks.length) return { kind: inside };
  const [first, second] = failures;
  if (first) return { kind: 'failed', error: withCause(first, second) };
  return close(draft, frame, { tasks, settled });
}

/** Goes on inside each subgraph that is open. @returns what that came to: some of them may have settled */
function driveChildren(draft: Draft, frame: Frame): 'settled' | 'paused' | 'waiting' | 'full' {
  let standing: 'settled' | 'paused' | 'waiting' = 'waiting';
  if (!frame.graph.hasSubgraphs) return standing;
  for (const of of tasksOf(draft, frame)) {
    const child = childFrame(of);
    if (!child) continue;
    const inside = driveChild(of, child);
    if (inside === 'full') return 'full';
    if (inside === 'settled' || standing === 'waiting') standing = inside;
  }
  return standing;
}

function driveChild(of: TaskFrame, child: Frame): 'settled' | 'paused' | 'waiting' | 'full' {
  const { draft } = of;
  if (child.isFailing) return endFailing(of) ? 'settled' : 'waiting';
  const standing = enterChild(of, child) ?? runSupersteps(draft, child);
  switch (standing.kind) {
    case 'finished':
      resumeTask(of, { kind: 'subgraph.finished', output: outputOf(child) });
      return 'settled';
    case 'failed':
      resumeTask(of, { kind: 'subgraph.failed', error: standing.error });
      return 'settled';
    default:
      return standing.kind;
  }
}

function enterChild({ draft, task }: TaskFrame, child: Frame): Standing | null {
  if (child.scope.step >= 0 || task.state.phase !== 'open' || task.state.position.kind !== 'subgraph') return null;
  const error = enterScope(draft, child, { input: task.state.position.input, startAt: null });
  return error && { kind: 'failed', error };
}

/** What a graph that has finished gives back. */
export function outputOf({ graph, scope }: Frame): JsonObject {
  return Object.fromEntries(graph.output.map((channel) => [channel, own(scope.channels, channel) ?? null]));
}

function withCause(first: RunError, second: RunError | undefined): RunError {
  return second && !first.cause
    ? { ...first, cause: { code: second.code, message: `Also: ${second.message}` } }
    : first;
}

/** @returns whether the draft became full before all ready tasks were started */
function startReady(draft: Draft, frame: Frame): boolean {
  const lanes = openByGroup(frame.scope);
  let aside = reservedTotals(draft);
  for (const of of tasksOf(draft, frame)) {
    const { task } = of;
    const isReady = task.state.phase === 'ready' && !isGroupFull(task.group, lanes) && mayBegin(of, aside);
    if (!isReady && !isHeldBack(of, aside)) continue;
    if (!hasCapacity(draft)) return false;
    if (mustYield(draft)) return true;
    if (isReady) startIn(of, lanes);
    else resumeTask(of, { kind: 'capacity' });
    aside = reservedTotals(draft);
  }
  return false;
}

function startIn(of: TaskFrame, lanes: OpenByGroup): void {
  startTask(of);
  if (of.task.group) occupy(of.frame.scope, of.task, lanes);
}

/** A node that asks a model as it begins waits for room in the budgets. */
function mayBegin({ draft, node }: TaskFrame, aside: ReservedTotals): boolean {
  return !node.asksModel || isBudgetAvailable(draft, aside);
}

/** Whether a task that is at work has more to call, and nothing but `maxConcurrency` in its way. */
function isHeldBack({ draft, task: { state } }: TaskFrame, aside: ReservedTotals): boolean {
  if (state.phase !== 'open') return false;
  const needs = awaitedBudget(state.position);
  return needs ? !mustWaitForBudget(draft, needs, aside) : wantsCapacity(state.position);
}

/** A superstep whose tasks are over: as it holds them, and as what they are. */
interface Closing {
  readonly tasks: NodeTask[];
  readonly settled: readonly SettledTask[];
}

/** Applies the writes, saves a checkpoint and evaluates the edges on the new state. */
function close(draft: Draft, frame: Frame, { tasks, settled }: Closing): Standing | null {
  const { scope } = frame;
  const writes = settled.map(toWrite);
  const applied = applyWrites(frame.graph.channels, scope.channels, { writes, context: reduceContext(draft, frame) });
  if (!applied.ok) return failWriters({ tasks, settled }, applied, scope.step);
  scope.channels = fadeEphemeral(frame, applied);
  scope.superstep = null;
  if (frame.path.length === 0) delete draft.run.counted;
  scope.pendingEdges = settled.filter(takesEdges).map(({ node }) => node);
  trigger(frame, gotoTargetsOf(settled));
  const nodes = stopsAmong(draft, frame, { at: 'after', nodes: settled.map(({ node }) => node) });
  if (nodes.length > 0) scope.stoppedAt = { at: 'after', nodes, next: previewNext(draft, frame) };
  const failure = nodes.length > 0 ? null : fire(draft, frame);
  const visited = tasks.map(({ node }) => node);
  saveCheckpoint(draft, frame, { source: 'loop', changes: applied.changes, step: scope.step, visited });
  scope.step += 1;
  return failure && { kind: 'failed', error: failure };
}

function takesEdges({ state }: NodeTask): boolean {
  return state.phase === 'completed' && state.goto?.ignoresEdges !== true;
}

function toWrite({ key, node, state }: SettledTask): Write {
  return { by: key, node, update: state.update };
}

/** The nodes to blame for a write that can't be applied have failed; all keep what they did. */
function failWriters(
  { tasks, settled }: Closing,
  { error, culprits }: { error: RunError; culprits: readonly string[] },
  step: number,
): Standing {
  const failed: RunError = { ...error, step, attempts: 1 };
  for (const task of settled)
    if (culprits.includes(task.key))
      tasks[tasks.indexOf(task)] = { ...task, state: unwritten(task.state, { ...failed, node: task.node }) };
  return { kind: 'failed', error: failed };
}

/** A retry writes again what a node has come to; one that had failed itself is retried as such. */
function unwritten(state: SettledTask['state'], error: RunError): TaskState {
  if (state.phase === 'diverted') return { phase: 'failed', failure: { ...state.failure, error }, saved: state.saved };
  const { outcome } = state;
  return { phase: 'failed', failure: { callFailed: false, error }, saved: { kind: 'finished', outcome } };
}

/** An ephemeral channel is empty again unless this superstep wrote it. */
function fadeEphemeral({ graph }: Frame, { channels, changes }: Applied & { ok: true }): Channels {
  if (graph.ephemeral.length === 0) return channels;
  const faded = graph.ephemeral.filter(({ name }) => !Object.hasOwn(changes, name));
  return { ...channels, ...Object.fromEntries(faded.map(({ name, initial }) => [name, initial])) };
}

/** Where nodes themselves, or their `onError`, sent the run. */
function gotoTargetsOf(tasks: readonly SettledTask[]): readonly Trigger[] {
  const targets = tasks.flatMap(({ state }) => (state.phase === 'diverted' ? [state.to] : (state.goto?.nodes ?? [])));
  return [...new Set(targets)].filter((node) => node !== END).map((node) => ({ node }));
}

/** Opens the next superstep, if there is anything to run and nothing holds it. */
function openNext(draft: Draft, frame: Frame): Standing | null {
  const { scope } = frame;
  if (scope.stoppedAt) return { kind: 'paused' };
  if (scope.pendingEdges.length > 0) {
    const failure = fire(draft, frame);
    if (failure) return { kind: 'failed', error: failure };
  }
  const ready = scope.triggers.length > 0 ? scope.triggers : releaseDeferred(frame);
  if (draft.run.pause) return { kind: 'paused' };
  if (ready.length === 0) return { kind: 'finished' };
  const limit = frame.path.length === 0 ? draft.run.limits.maxSteps : frame.graph.maxSteps;
  if (scope.step >= limit) return { kind: 'failed', error: recursionLimit(scope.step, limit) };
  if (stopBefore(draft, frame, ready)) return { kind: 'paused' };
  openStep(draft, frame);
  return null;
}

/** Deferred nodes run when nothing else is left to run. */
function releaseDeferred({ scope }: Frame): readonly Trigger[] {
  scope.triggers = scope.deferred;
  scope.deferred = [];
  return scope.triggers;
}

function recursionLimit(step: number, limit: number): RunError {
  return {
    code: 'GRAPH_RECURSION_LIMIT',
    message: `Superstep ${step} would be number ${step + 1}; maxSteps is ${limit}`,
    step,
  };
}

/** Opens the next superstep with what is triggered. */
export function openStep(draft: Draft, frame: Frame): void {
  const { scope } = frame;
  const tasks = planTasks(scope);
  for (const { node, visit } of tasks) scope.visits[node] = visit;
  scope.superstep = { tasks };
  scope.triggers = [];
  scope.hasPassedBreakpoint = false;
  emit(draft, frame, { type: 'step.started', nodes: [...new Set(tasks.map(({ node }) => node))] });
}
