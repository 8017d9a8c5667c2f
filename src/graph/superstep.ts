import { applyWrites } from './channels/apply-writes.ts';
import type { Applied, Channels, Write } from './channels/apply-writes.ts';
import { saveCheckpoint } from './checkpoints.ts';
import { START } from './definition.ts';
import { EdgeFailure, fireEdges } from './edges.ts';
import { emit, isFull } from './draft.ts';
import type { Draft, Frame } from './draft.ts';
import type { RunError } from './errors.ts';
import { compare, planTasks } from './plan-tasks.ts';
import type { NodeTask, Trigger } from './scope.ts';
import { startTask } from './task-progress.ts';
import { scopeBindings } from './tasks.ts';

/** How far a scope got: it waits for something outside, has nothing left to do, can't go on, or should let the shell catch up first. */
export type Standing =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly error: RunError }
  | { readonly kind: 'full' };

/** Runs supersteps, one after the other, as far as they go without the outside. */
export function drive(draft: Draft, frame: Frame): Standing {
  for (;;) {
    const standing = frame.scope.superstep ? workOn(draft, frame) : openNext(draft, frame);
    if (standing) return standing;
    if (isFull(draft)) return { kind: 'full' };
  }
}

/** Starts what can be started and closes the superstep when all of it is over. */
function workOn(draft: Draft, frame: Frame): Standing | null {
  const full = startReady(draft, frame);
  if (full) return { kind: 'full' };
  const tasks = frame.scope.superstep?.tasks ?? [];
  if (tasks.some(isUnsettled)) return { kind: 'waiting' };
  const failures = tasks.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure.error] : []));
  const [first, second] = failures;
  if (first) return { kind: 'failed', error: withCause(first, second) };
  return close(draft, frame, tasks);
}

function isUnsettled({ state }: NodeTask): boolean {
  return state.phase === 'ready' || state.phase === 'open' || state.phase === 'intervention';
}

function withCause(first: RunError, second: RunError | undefined): RunError {
  return second && !first.cause
    ? { ...first, cause: { code: second.code, message: `Also: ${second.message}` } }
    : first;
}

/** @returns whether the draft became full before all ready tasks were started */
function startReady(draft: Draft, frame: Frame): boolean {
  const tasks = frame.scope.superstep?.tasks ?? [];
  for (const task of tasks) {
    if (task.state.phase !== 'ready') continue;
    if (Object.keys(draft.run.calls).length >= draft.run.limits.maxConcurrency) return false;
    if (isFull(draft)) return true;
    const node = frame.graph.nodes.get(task.node);
    if (!node) throw new TypeError(`The graph has no node "${task.node}"`);
    startTask({ draft, frame, node, task });
  }
  return false;
}

/** Applies the writes, saves a checkpoint and evaluates the edges on the new state. */
function close(draft: Draft, frame: Frame, tasks: readonly NodeTask[]): Standing | null {
  const { scope } = frame;
  const writes = tasks.flatMap(toWrite);
  const applied = applyWrites(frame.graph.channels, scope.channels, { writes, context: draft.reduceContext });
  if (!applied.ok) return failWriters(scope.superstep?.tasks ?? [], applied, scope.step);
  scope.channels = fadeEphemeral(frame, applied);
  scope.superstep = null;
  scope.unfired = tasks.filter(({ state }) => state.phase === 'completed').map(({ node }) => node);
  scope.triggers = diversions(tasks);
  const failure = fire(draft, frame);
  saveCheckpoint(draft, frame, { source: 'loop', changes: applied.changes });
  scope.step += 1;
  return failure && { kind: 'failed', error: failure };
}

function toWrite({ key, node, state }: NodeTask): Write[] {
  return state.phase === 'completed' || state.phase === 'diverted' ? [{ by: key, node, update: state.update }] : [];
}

/** The nodes to blame for a write that can't be applied have failed; the others keep what they did. */
function failWriters(
  tasks: NodeTask[],
  { error, culprits }: { error: RunError; culprits: readonly string[] },
  step: number,
): Standing {
  const failed: RunError = { ...error, step, attempts: 1 };
  tasks.forEach((task, at) => {
    if (culprits.includes(task.key))
      tasks[at] = {
        ...task,
        state: { phase: 'failed', failure: { callFailed: false, error: { ...failed, node: task.node } } },
      };
  });
  return { kind: 'failed', error: failed };
}

/** An ephemeral channel is empty again unless this superstep wrote it. */
function fadeEphemeral({ graph }: Frame, { channels, changes }: Applied & { ok: true }): Channels {
  if (graph.ephemeral.length === 0) return channels;
  const faded = graph.ephemeral.filter(({ name }) => !Object.hasOwn(changes, name));
  return { ...channels, ...Object.fromEntries(faded.map(({ name, initial }) => [name, initial])) };
}

/** Where `onError` sent the run. */
function diversions(tasks: readonly NodeTask[]): readonly Trigger[] {
  const targets = tasks.flatMap(({ state }) => (state.phase === 'diverted' ? [state.to] : []));
  return [...new Set(targets)].map((node) => ({ node }));
}

/** Evaluates the edges of the nodes that have finished; what they lead to is triggered on top of what is. */
export function fire(draft: Draft, frame: Frame): RunError | null {
  const { graph, scope } = frame;
  try {
    const finished = [...new Set(scope.unfired)].sort(compare);
    const fired = fireEdges(graph.outgoing, scope.joins, { finished, bindings: scopeBindings(draft, frame) });
    scope.joins = fired.joins;
    scope.unfired = [];
    const triggered = new Set([...scope.triggers.map(({ node }) => node), ...scope.deferred, ...fired.nodes]);
    const isDeferred = (node: string): boolean => graph.nodes.get(node)?.defer ?? false;
    scope.deferred = [...triggered].filter(isDeferred);
    scope.triggers = [...triggered].filter((node) => !isDeferred(node)).map((node) => ({ node }));
    return null;
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    const { code, message } = error.cause;
    return { code, message, ...(error.node !== START && { node: error.node }), step: scope.step };
  }
}

/** Opens the next superstep, if there is anything to run. */
function openNext(draft: Draft, frame: Frame): Standing | null {
  const { scope } = frame;
  if (scope.unfired.length > 0) {
    const failure = fire(draft, frame);
    if (failure) return { kind: 'failed', error: failure };
  }
  if (scope.triggers.length === 0) {
    scope.triggers = scope.deferred.map((node) => ({ node }));
    scope.deferred = [];
  }
  if (scope.triggers.length === 0) return { kind: 'finished' };
  const limit = stepLimit(draft);
  if (scope.step >= limit) return { kind: 'failed', error: recursionLimit(scope.step, limit) };
  open(draft, frame);
  return null;
}

function stepLimit({ run }: Draft): number {
  return run.limits.maxSteps;
}

function recursionLimit(step: number, limit: number): RunError {
  return {
    code: 'GRAPH_RECURSION_LIMIT',
    message: `Superstep ${step} would be number ${step + 1}; maxSteps is ${limit}`,
    step,
  };
}

function open(draft: Draft, frame: Frame): void {
  const { scope } = frame;
  const tasks = planTasks(scope);
  for (const { node, visit } of tasks) scope.visits[node] = visit;
  scope.superstep = { tasks };
  scope.triggers = [];
  emit(draft, frame, { type: 'step.started', nodes: [...new Set(tasks.map(({ node }) => node))] });
}
