import { taskBindings } from './bindings.ts';
import { tryWrite } from './channels/apply-writes.ts';
import { GraphError, toRunError } from './errors.ts';
import { childFrame, setState } from './frames.ts';
import type { RunError, RunErrorCode } from './errors.ts';
import type { OnError } from './compile.ts';
import type { Json } from './json.ts';
import type { SubgraphPosition } from './nodes/position.ts';
import type { Command, Happening, Progress } from './nodes/runner.ts';
import type { TaskFailure, TaskState, Update } from './scope.ts';
import { OpenTask, emitTask } from './tasks.ts';
import type { TaskFrame } from './tasks.ts';

/** Starts a task that is ready. */
export function startTask(of: TaskFrame): void {
  emitTask(of, { type: 'node.started' });
  advanceTask(of, () => {
    if (of.task.visit > of.node.maxVisits) return { kind: 'failed', failure: tooManyVisits(of) };
    return of.node.runner.start(new OpenTask(of));
  });
}

/** Goes on with a task that waited. One that has ended meanwhile is left alone. */
export function resumeTask(of: TaskFrame, happening: Happening): void {
  const { state } = of.task;
  if (state.phase !== 'open') return;
  advanceTask(of, () => of.node.runner.resume(new OpenTask(of), state.position, happening));
}

function advanceTask(of: TaskFrame, step: () => Progress): void {
  setState(of, nextState(of, step));
}

/** Turns a step into the task's next state; whatever is thrown on the way is the task's failure. */
function nextState(of: TaskFrame, step: () => Progress): TaskState {
  try {
    const progress = step();
    switch (progress.kind) {
      case 'open':
        return { phase: 'open', position: progress.position };
      case 'done':
        return complete(of, progress.result, progress.update ?? {});
      case 'commanded':
        return obey(of, progress.command);
      case 'failed':
        return fail(of, progress.failure);
    }
  } catch (error) {
    const failure = toRunError(error);
    return fail(of, { callFailed: isAskedAnew(failure), error: failure });
  }
}

/** Code that ended the run by itself is called anew on a retry; its recorded answer would end the run again. */
function isAskedAnew({ code }: RunError): boolean {
  return code === 'ABORTED';
}

function complete(of: TaskFrame, result: Json, given: Update): TaskState {
  const update = { ...given, ...of.node.write({ ...taskBindings(of.draft, of.frame, of.task), result }) };
  emitTask(of, { type: 'node.completed', update });
  return { phase: 'completed', update, jump: null };
}

/** Carries out what code says to the engine. */
function obey(of: TaskFrame, { update: given, goto, control, reason }: Command): TaskState {
  const { draft, node } = of;
  if (control === 'abort') throw new GraphError('ABORTED', reason ?? `Node "${node.id}" ended the run`);
  if (control === 'pause') draft.run.pause = { by: node.id, reason };
  const update = { ...given, ...node.writeOfCommand({ ...taskBindings(draft, of.frame, of.task), result: null }) };
  emitTask(of, { type: 'node.completed', update });
  return { phase: 'completed', update, jump: { nodes: goto, ignoresEdges: control === 'replan' } };
}

/**
 * Gives a task the output of a person instead of its own.
 * @throws GraphError when the node can't write it; the task waits as before
 */
export function skipTask(of: TaskFrame, output: Json, by: string): void {
  const { node, task, frame } = of;
  const update = node.write({ ...taskBindings(of.draft, of.frame, of.task), result: output });
  const error = tryWrite(frame.graph.channels, frame.scope.channels, { by: task.key, node: node.id, update });
  if (error) throw new GraphError(error.code, error.message);
  emitTask(of, { type: 'node.skipped', update, by });
  setState(of, { phase: 'completed', update, jump: null });
}

/** Ends a task that a person has given up. */
export function failTask(
  of: TaskFrame,
  { failure, inside }: Pick<TaskState & { phase: 'failed' }, 'failure' | 'inside'>,
): void {
  setState(of, { phase: 'failed', failure, inside });
}

/** Failures that are not the node's own work: `onError` doesn't catch them. */
const FAILS_THE_RUN: ReadonlySet<RunErrorCode> = new Set([
  'BUDGET_EXCEEDED',
  'DEADLINE_EXCEEDED',
  'CANCELED',
  'ABORTED',
  'INTERNAL',
]);

function fail(of: TaskFrame, { callFailed, error }: TaskFailure): TaskState {
  const { draft, node } = of;
  const { attempts = 1 } = error;
  const failure: TaskFailure = {
    callFailed,
    error: { ...error, attempts, node: node.id, step: of.frame.scope.step },
  };
  emitTask(of, { type: 'node.failed', error: failure.error, attempts });
  const inside = insideOf(of);
  const isOwnCall = !node.subgraph;
  if (draft.run.cancellation?.isClosing) return { phase: 'failed', failure, inside: null };
  if (error.code === 'UNKNOWN_OUTCOME' && isOwnCall) return { phase: 'intervention', failure, since: draft.at, inside };
  const onError: OnError = FAILS_THE_RUN.has(error.code) ? { kind: 'fail' } : node.onError;
  switch (onError.kind) {
    case 'fail':
      return { phase: 'failed', failure, inside };
    case 'intervene':
      return { phase: 'intervention', failure, since: draft.at, inside };
    case 'goto':
      return divert(of, onError, failure);
  }
}

/** Where the graph inside a task stands. */
function insideOf(of: TaskFrame): SubgraphPosition | null {
  const child = childFrame(of);
  const { state } = of.task;
  if (!child || state.phase !== 'open' || state.position.kind !== 'subgraph') return null;
  return { ...state.position, scope: child.scope };
}

function divert(of: TaskFrame, { to, write }: OnError & { kind: 'goto' }, failure: TaskFailure): TaskState {
  const { code, message, node = '', attempts = 1 } = failure.error;
  try {
    return {
      phase: 'diverted',
      to,
      update: write({ ...taskBindings(of.draft, of.frame, of.task), error: { code, message, node, attempts } }),
    };
  } catch (error) {
    if (error instanceof GraphError)
      return {
        phase: 'failed',
        failure: { callFailed: false, error: { ...toRunError(error), node } },
        inside: insideOf(of),
      };
    throw error;
  }
}

function tooManyVisits({ node, task }: TaskFrame): TaskFailure {
  const message = `Node "${node.id}" would run for the ${task.visit}th time; its maxVisits is ${node.maxVisits}`;
  return { callFailed: false, error: { code: 'MAX_VISITS_EXCEEDED', message } };
}
