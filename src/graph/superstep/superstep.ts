import type { Applied, Channels, Write } from '../channels/apply-writes.ts';
import { END } from '../definition/definition.ts';
import { awaitedBudget, wantsCapacity, isSettled, tasksIn } from '../run/position.ts';
import type { SettledTask } from '../run/position.ts';
import type { NodeTask, ReadyScope, TaskState, Trigger } from '../run/scope.ts';
import { isClosing, mayOpenStep } from '../run/status.ts';
import type { RunError } from '../values/errors.ts';
import { own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { stopBefore, stopsAmong } from './breakpoints.ts';
import { isBudgetAvailable, mustWaitForBudget, reservedTotals } from './budget.ts';
import type { ReservedTotals } from './budget.ts';
import { emit, mustYield } from './draft.ts';
import { enterScope } from './enter-scope.ts';
import { fire, previewNext, sortTriggers } from './fire-edges.ts';
import { childFrame, TaskHandle, tasksOf } from './frames.ts';
import type { Frame } from './frames.ts';
import { isGroupFull, openByGroup, occupy, planTasks } from './plan-tasks.ts';
import type { OpenByGroup } from './plan-tasks.ts';
import { endFailing, resumeTask, startTask } from './run-task.ts';
import { saveCheckpoint } from './save-checkpoint.ts';
import { moveTo, nextStep, openSuperstep, setChannels, setState, writeChannels } from './scope-draft.ts';
import { hasCapacity } from './task-context.ts';

/** The state of a scope after a step: waiting, finished, stopped, failed, or yielding for the journal. */
export type Standing =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly error: RunError }
  | { readonly kind: 'full' };

/** Runs supersteps until the scope needs input from outside. */
export function runSupersteps(frame: Frame): Standing {
  for (;;) {
    const standing = frame.scope.at.kind === 'running' ? workOn(frame) : openNext(frame);
    if (standing) return standing;
    if (mustYield(frame.draft)) return { kind: 'full' };
  }
}

/** Starts ready tasks, runs open subgraphs, and closes the superstep when all tasks are over. */
function workOn(frame: Frame): Standing | null {
  if (startReady(frame)) return { kind: 'full' };
  const inside = driveChildren(frame);
  if (inside === 'full') return { kind: 'full' };
  if (inside === 'settled') return null;
  const tasks = tasksIn(frame.scope);
  if (!tasks.every(isOver)) return { kind: inside };
  const [first, second] = tasks.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure.error] : []));
  if (first) return { kind: 'failed', error: withCause(first, second) };
  return close(frame, tasks.filter(isSettled));
}

function isOver(task: NodeTask): boolean {
  return isSettled(task) || task.state.phase === 'failed';
}

/** Runs each open subgraph. @returns the combined result; some subgraphs may have settled */
function driveChildren(frame: Frame): 'settled' | 'paused' | 'waiting' | 'full' {
  let standing: 'settled' | 'paused' | 'waiting' = 'waiting';
  if (!frame.graph.hasSubgraphs) return standing;
  for (const handle of tasksOf(frame)) {
    const child = childFrame(handle);
    if (!child) continue;
    const inside = driveChild(handle, child);
    if (inside === 'full') return 'full';
    if (inside === 'settled' || standing === 'waiting') standing = inside;
  }
  return standing;
}

function driveChild(handle: TaskHandle, child: Frame): 'settled' | 'paused' | 'waiting' | 'full' {
  if (child.isFailing) return endFailing(handle) ? 'settled' : 'waiting';
  const standing = enterChild(handle, child) ?? runSupersteps(child);
  switch (standing.kind) {
    case 'finished':
      resumeTask(handle, { kind: 'subgraph.finished', output: outputOf(child) });
      return 'settled';
    case 'failed':
      resumeTask(handle, { kind: 'subgraph.failed', error: standing.error });
      return 'settled';
    default:
      return standing.kind;
  }
}

function enterChild({ task: { state } }: TaskHandle, child: Frame): Standing | null {
  if (child.scope.step >= 0 || state.phase !== 'open' || state.position.kind !== 'subgraph') return null;
  const error = enterScope(child, { input: state.position.input, startAt: null });
  return error && { kind: 'failed', error };
}

/** Returns the output of a finished graph. */
export function outputOf({ graph, scope }: Frame): JsonObject {
  return Object.fromEntries(graph.output.map((channel) => [channel, own(scope.channels, channel) ?? null]));
}

function withCause(first: RunError, second: RunError | undefined): RunError {
  return second && !first.cause
    ? { ...first, cause: { code: second.code, message: `Also: ${second.message}` } }
    : first;
}

/** @returns true if the draft must yield before all ready tasks are started */
function startReady(frame: Frame): boolean {
  const { draft } = frame;
  const groups = openByGroup(tasksIn(frame.scope));
  let reserved = reservedTotals(draft);
  for (const [at, task] of tasksIn(frame.scope).entries()) {
    if (isOver(task) || (task.state.phase === 'ready' && isGroupFull(task.group, groups))) continue;
    const handle = new TaskHandle(frame, task, at);
    if (!mayGoOn(handle, reserved)) continue;
    if (!hasCapacity(draft)) return false;
    if (mustYield(draft)) return true;
    goOn(handle, groups);
    reserved = reservedTotals(draft);
  }
  return false;
}

function goOn(handle: TaskHandle, groups: OpenByGroup): void {
  if (handle.task.state.phase !== 'ready') return resumeTask(handle, { kind: 'capacity' });
  startTask(handle);
  occupy(handle.task, groups);
}

/** True if a task may begin or make another call, apart from `maxConcurrency`. */
function mayGoOn(handle: TaskHandle, reserved: ReservedTotals): boolean {
  const { phase } = handle.task.state;
  return phase === 'ready' ? mayBegin(handle, reserved) : phase === 'open' && isHeldBack(handle, reserved);
}

/** A node that starts with a model call waits for its budgets. */
function mayBegin({ draft, node }: TaskHandle, reserved: ReservedTotals): boolean {
  return !node.asksModel || isBudgetAvailable(draft, reserved);
}

function isHeldBack({ draft, task: { state } }: TaskHandle, reserved: ReservedTotals): boolean {
  if (state.phase !== 'open') return false;
  const needs = awaitedBudget(state.position);
  return needs ? !mustWaitForBudget(draft, needs, reserved) : wantsCapacity(state.position);
}

/** Closes a superstep: applies writes, evaluates edges on the new state, and saves a checkpoint. */
function close(frame: Frame, settled: readonly SettledTask[]): Standing | null {
  const { draft } = frame;
  const { step, deferred } = frame.scope;
  const applied = writeChannels(frame, settled.map(toWrite));
  if (!applied.ok) return failWriters(frame, applied);
  fadeEphemeral(frame, applied);
  if (frame.path.length === 0) draft.setCounted([]);
  const sent = sortTriggers(frame, gotoTargetsOf(settled));
  const finished = isLastStep(frame) ? [] : settled.filter(takesEdges).map(({ node }) => node);
  moveTo(frame, { kind: 'edges', finished, triggers: sent.triggers }, withoutDoubles(deferred, sent.deferred));
  const failure = stopAfter(frame, settled) ? null : fire(frame);
  const visited = settled.map(({ node }) => node);
  saveCheckpoint(frame, { source: 'loop', changes: applied.changes, step, visited });
  nextStep(frame);
  return failure && { kind: 'failed', error: failure };
}

/** Stops a graph at breakpoints after its finished nodes. @returns true if it stops */
function stopAfter(frame: Frame, settled: readonly SettledTask[]): boolean {
  const { at } = frame.scope;
  const nodes = isLastStep(frame) ? [] : stopsAmong(frame, { at: 'after', nodes: settled.map(({ node }) => node) });
  if (nodes.length === 0 || at.kind !== 'edges') return false;
  moveTo(frame, { ...at, kind: 'after', nodes, next: previewNext(frame) });
  return true;
}

/** True for the `onCancel` superstep, whose edges are not evaluated. */
function isLastStep({ draft, path }: Frame): boolean {
  return path.length === 0 && isClosing(draft.run);
}

function withoutDoubles(deferred: readonly Trigger[], more: readonly Trigger[]): readonly Trigger[] {
  const waiting = new Set(deferred.map(({ node }) => node));
  return [...deferred, ...more.filter(({ node }) => !waiting.has(node))];
}

function takesEdges({ state }: NodeTask): boolean {
  return state.phase === 'completed' && state.goto?.ignoresEdges !== true;
}

function toWrite({ key, node, state }: SettledTask): Write {
  return { by: key, node, update: state.update };
}

/** Fails the nodes whose writes can't be applied; all nodes keep their work. */
function failWriters(frame: Frame, { error, culprits }: Applied & { readonly ok: false }): Standing {
  const failed: RunError = { ...error, step: frame.step, attempts: 1 };
  for (const handle of tasksOf(frame)) {
    const { task } = handle;
    if (isSettled(task) && culprits.includes(task.key))
      setState(handle, unwritten(task.state, { ...failed, node: task.node }));
  }
  return { kind: 'failed', error: failed };
}

/** A retry repeats a finished node's write; a node that failed itself is retried as a failed one. */
function unwritten(state: SettledTask['state'], error: RunError): TaskState {
  if (state.phase === 'diverted') return { phase: 'failed', failure: { ...state.failure, error }, saved: state.saved };
  const { outcome } = state;
  return { phase: 'failed', failure: { callFailed: false, error }, saved: { kind: 'finished', outcome } };
}

/** Resets ephemeral channels that this superstep did not write. */
function fadeEphemeral(frame: Frame, { channels, changes }: Applied & { readonly ok: true }): void {
  const faded = frame.graph.ephemeral.filter(({ name }) => !Object.hasOwn(changes, name));
  if (faded.length === 0) return;
  const empty: Channels = Object.fromEntries(faded.map(({ name, initial }) => [name, initial]));
  setChannels(frame, { ...channels, ...empty });
}

/** Returns the targets chosen by nodes themselves or by their `onError`. */
function gotoTargetsOf(tasks: readonly SettledTask[]): readonly Trigger[] {
  const targets = tasks.flatMap(({ state }) => (state.phase === 'diverted' ? [state.to] : (state.goto?.nodes ?? [])));
  return [...new Set(targets)].filter((node) => node !== END).map((node) => ({ node }));
}

/** Opens the next superstep, if nodes are triggered and the run may continue. */
function openNext(frame: Frame): Standing | null {
  const { draft, graph, path } = frame;
  const failure = frame.scope.at.kind === 'edges' ? fire(frame) : null;
  if (failure) return { kind: 'failed', error: failure };
  const { at, step } = frame.scope;
  if (at.kind !== 'ready') return { kind: 'paused' };
  const { triggers } = releaseDeferred(frame, at);
  if (!mayOpenStep(draft.run)) return { kind: 'paused' };
  if (triggers.length === 0) return { kind: 'finished' };
  const limit = path.length === 0 ? draft.run.limits.maxSteps : graph.maxSteps;
  if (step >= limit) return { kind: 'failed', error: recursionLimit(step, limit) };
  if (stopBefore(frame)) return { kind: 'paused' };
  openStep(frame, triggers);
  return null;
}

/** Triggers deferred nodes when no other node is left to run. */
function releaseDeferred(frame: Frame, at: ReadyScope): ReadyScope {
  const { deferred } = frame.scope;
  if (at.triggers.length > 0 || deferred.length === 0) return at;
  const released = { ...at, triggers: deferred };
  moveTo(frame, released, []);
  return released;
}

function recursionLimit(step: number, limit: number): RunError {
  return {
    code: 'GRAPH_RECURSION_LIMIT',
    message: `Superstep ${step} would be number ${step + 1}; maxSteps is ${limit}`,
    step,
  };
}

/** Opens the next superstep with the given triggers. */
export function openStep(frame: Frame, triggers: readonly Trigger[]): void {
  const tasks = planTasks(triggers, frame.scope.visits);
  openSuperstep(frame, tasks);
  emit(frame.draft, frame, { type: 'step.started', nodes: [...new Set(tasks.map(({ node }) => node))] });
}
