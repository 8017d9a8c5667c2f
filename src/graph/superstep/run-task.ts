import { isReplacement, tryWrite } from '../channels/apply-writes.ts';
import type { Update } from '../channels/channel.ts';
import type { OnError } from '../compile/compile.ts';
import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput, Progress } from '../nodes/behavior.ts';
import { hasUnknownOutcome, isResumable } from '../run/position.ts';
import type { ResumablePosition, SavedProgress, Outcome, TaskState } from '../run/scope.ts';
import { GraphError, toRunError } from '../values/errors.ts';
import type { RunError, RunErrorCode, TaskFailure } from '../values/errors.ts';
import { refuseLarge } from '../values/json-size.ts';
import { deepEqual, toItems } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { cancelApprovalsOf } from './approvals.ts';
import { callsWithin, cancelCallsWithin } from './cancel-calls.ts';
import { taskBindings, childFrame, closeFrames, setState, emitTask } from './frames.ts';
import type { TaskFrame } from './frames.ts';
import { OpenTask } from './task-context.ts';
import { cancelTimersOf } from './timers.ts';

/** Starts a task that is ready. */
export function startTask(of: TaskFrame): void {
  emitTask(of, { type: 'node.started' });
  advanceTask(of, () => {
    if (of.task.visit > of.node.maxVisits) return { kind: 'failed', failure: tooManyVisits(of) };
    return begin(of);
  });
}

function begin(of: TaskFrame): Progress {
  const { state } = of.task;
  const { behavior } = of.node;
  const kept = 'saved' in state ? state.saved : null;
  if (kept?.kind === 'finished') return kept.outcome;
  return kept && behavior.restart ? behavior.restart(new OpenTask(of), kept) : behavior.start(new OpenTask(of));
}

/** Goes on with a task that waited. One that has ended meanwhile is left alone, but for what its calls have done. */
export function resumeTask(of: TaskFrame, happening: TaskInput): void {
  const { state } = of.task;
  const { behavior } = of.node;
  if (state.phase === 'open') advanceTask(of, () => behavior.resume(new OpenTask(of), state.position, happening));
  if (!takesLate(state) || !isCallResult(happening) || !behavior.updateSaved) return;
  setState(of, { ...state, saved: behavior.updateSaved(new OpenTask(of), state.saved, happening) });
}

type Failed = TaskState & { readonly phase: 'failed' | 'intervention' };

/** Whether a task has failed with calls of which it is kept what becomes of them. */
export function takesLate(state: TaskState): state is Failed & { readonly saved: ResumablePosition } {
  const hasFailed = state.phase === 'failed' || state.phase === 'intervention';
  return hasFailed && state.saved !== null && state.saved.kind !== 'finished';
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
      case 'commanded':
        if (of.node.deadlineMs !== null) cancelTimersOf(of);
        return finish(of, progress);
      case 'failed':
        return fail(of, progress.failure, progress.saved ?? progressOf(of));
    }
  } catch (error) {
    const failure = toRunError(error);
    return fail(of, { callFailed: false, error: failure }, progressOf(of));
  }
}

/** Code that ended the run by itself is called anew on a retry; its recorded answer would end the run again. */
function isAskedAnew({ code }: RunError): boolean {
  return code === 'ABORTED';
}

/** A task whose outcome can't be written has failed, and what it has done is kept. */
function finish(of: TaskFrame, outcome: Outcome): TaskState {
  try {
    return outcome.kind === 'done' ? complete(of, outcome) : obey(of, outcome);
  } catch (error) {
    const failure = toRunError(error);
    const kept = isAskedAnew(failure) ? null : ({ kind: 'finished', outcome } as const);
    return fail(of, { callFailed: kept === null, error: failure }, kept);
  }
}

function complete(of: TaskFrame, outcome: Outcome & { kind: 'done' }): TaskState {
  const { result, update: given = {} } = outcome;
  const written = of.node.write({ ...taskBindings(of.draft, of.frame, of.task), result });
  const update = { ...given, ...after(given, written) };
  refuseLarge('What the node writes', update);
  emitTask(of, { type: 'node.completed', update });
  return { phase: 'completed', update, goto: null, outcome };
}

/** What a node writes, after the conversation that it has had on the same channel; what it says again counts once. */
function after(conversation: Update, written: Update): Update {
  const both: Record<string, Json> = {};
  for (const [channel, value] of Object.entries(written)) {
    if (!Object.hasOwn(conversation, channel) || isReplacement(value)) continue;
    const items = toItems(value);
    const said = toItems(conversation[channel] ?? []).filter((one) => !items.some((item) => deepEqual(one, item)));
    both[channel] = [...said, ...items];
  }
  return { ...written, ...both };
}

/** Carries out what code says to the engine. */
function obey(of: TaskFrame, outcome: Outcome & { kind: 'commanded' }): TaskState {
  const { draft, node } = of;
  const { update: given, goto, control, reason } = outcome.command;
  if (control === 'abort') throw new GraphError('ABORTED', reason ?? `Node "${node.id}" ended the run`);
  if (control === 'pause') draft.run.pause = { by: node.id, reason };
  const update = { ...given, ...node.writeOfCommand({ ...taskBindings(draft, of.frame, of.task), result: null }) };
  refuseLarge('What the node writes', update);
  emitTask(of, { type: 'node.completed', update });
  return { phase: 'completed', update, goto: { nodes: goto, ignoresEdges: control === 'replan' }, outcome };
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
  setState(of, { phase: 'completed', update, goto: null, outcome: { kind: 'done', result: output } });
}

/** Ends a task that a person has given up. */
export function failTask(
  of: TaskFrame,
  { failure, saved, by }: Pick<TaskState & { phase: 'failed' }, 'failure' | 'saved'> & { readonly by: string },
): void {
  const { attempts = 1 } = failure.error;
  const error = placed(of, failure.error);
  emitTask(of, { type: 'node.failed', error, attempts, by });
  cancelApprovalsOf(of);
  setState(of, { phase: 'failed', failure: { ...failure, error }, saved });
}

/** An error, with where it has come up. */
export function placed({ node, frame }: TaskFrame, error: RunError): RunError {
  const { attempts = 1 } = error;
  return { ...error, attempts, node: node.id, step: frame.scope.step };
}

/** Failures that are not the node's own work: `onError` doesn't catch them. */
const FAILS_THE_RUN: ReadonlySet<RunErrorCode> = new Set([
  'BUDGET_EXCEEDED',
  'DEADLINE_EXCEEDED',
  'CANCELED',
  'ABORTED',
  'INTERNAL',
]);

function fail(of: TaskFrame, { callFailed, error }: TaskFailure, kept: SavedProgress | null): TaskState {
  const { attempts = 1 } = error;
  const failure: TaskFailure = { callFailed, error: placed(of, error) };
  emitTask(of, { type: 'node.failed', error: failure.error, attempts });
  cancelApprovalsOf(of);
  return cancelCallsWithin(of, failure, kept) ?? giveUp(of, failure, kept);
}

/** Ends a subgraph that has failed, once no call inside is out any more. @returns whether it has */
export function endFailing(of: TaskFrame): boolean {
  const kept = progressOf(of);
  if (kept?.kind !== 'subgraph' || !kept.failing || callsWithin(of).length > 0) return false;
  const { failing, ...position } = kept;
  cancelApprovalsOf(of);
  setState(of, giveUp(of, failing, position));
  return true;
}

function giveUp(of: TaskFrame, failure: TaskFailure, saved: SavedProgress | null): TaskState {
  const { draft, node } = of;
  const { error } = failure;
  if (node.subgraph) closeFrames(of);
  if (draft.run.cancellation?.isClosing) return { phase: 'failed', failure, saved: null };
  if (leavesUnknownOutcome(of, error, saved)) return { phase: 'intervention', failure, since: draft.at, saved };
  const onError: OnError = FAILS_THE_RUN.has(error.code) ? { kind: 'fail' } : node.onError;
  switch (onError.kind) {
    case 'fail':
      return { phase: 'failed', failure, saved };
    case 'intervene':
      return { phase: 'intervention', failure, since: draft.at, saved };
    case 'goto':
      return divert(of, onError, { failure, kept: saved });
  }
}

/** Whether a person has to say what a call of a task did, its own or one inside it, whatever its `onError` says. */
function leavesUnknownOutcome({ node }: TaskFrame, { code }: RunError, kept: SavedProgress | null): boolean {
  return hasUnknownOutcome(kept) || (!node.subgraph && code === 'UNKNOWN_OUTCOME');
}

/** What a task has done already that is not to be done again. */
function progressOf(of: TaskFrame): SavedProgress | null {
  const { state } = of.task;
  if (state.phase === 'ready') return state.saved ?? null;
  if (state.phase !== 'open' || !isResumable(state.position)) return null;
  const child = childFrame(of);
  return child && state.position.kind === 'subgraph' ? { ...state.position, scope: child.scope } : state.position;
}

function divert(
  of: TaskFrame,
  { to, write }: OnError & { kind: 'goto' },
  { failure, kept: saved }: { failure: TaskFailure; kept: SavedProgress | null },
): TaskState {
  const { code, message, node = '', attempts = 1 } = failure.error;
  try {
    return {
      phase: 'diverted',
      to,
      failure,
      saved,
      update: write({ ...taskBindings(of.draft, of.frame, of.task), error: { code, message, node, attempts } }),
    };
  } catch (error) {
    if (error instanceof GraphError)
      return {
        phase: 'failed',
        failure: { ...failure, error: { ...toRunError(error), node } },
        saved,
      };
    throw error;
  }
}

function tooManyVisits({ node, task }: TaskFrame): TaskFailure {
  const message = `Node "${node.id}" would run for the ${task.visit}th time; its maxVisits is ${node.maxVisits}`;
  return { callFailed: false, error: { code: 'MAX_VISITS_EXCEEDED', message } };
}
