import { isReplacement, tryWrite } from '../channels/apply-writes.ts';
import type { Update } from '../channels/channel.ts';
import { findRefusedMessage } from '../channels/outside-messages.ts';
import type { OnError } from '../compile/compile.ts';
import type { TaskInput, Progress } from '../nodes/behavior.ts';
import { MAX_HELD_BYTES, bytesOf, bytesOfTask } from '../run/held-bytes.ts';
import { callAt, hasUnknownOutcome, isResumable } from '../run/position.ts';
import type { SavedProgress, Outcome, TaskState } from '../run/scope.ts';
import { isClosing, standsStill } from '../run/status.ts';
import { GraphError, isUnknownOutcome, MAX_MESSAGE, toRunError } from '../values/errors.ts';
import type { RunError, RunErrorCode, TaskFailure } from '../values/errors.ts';
import { abbreviate } from '../values/text.ts';
import { requireAllowedSize } from '../values/json-size.ts';
import { deepEqual, toItems } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { hasResumableProgress } from './acceptance.ts';
import { withTaskAllowance } from './allowances.ts';
import { cancelTimersAndApprovalsOf } from '../draft/cancel-requests.ts';
import { callsWithin, cancelCallsWithin } from './cancel-calls.ts';
import { hasRoom } from '../draft/draft.ts';
import { taskBindings, emitTask } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { setState } from '../draft/scope-draft.ts';
import { OpenTask } from './task-context.ts';
import { cancelTimersOf } from '../draft/timers.ts';

/** Starts a ready task. */
export function startTask(handle: TaskHandle): void {
  emitTask(handle, { type: 'node.started' });
  advanceTask(handle, () => {
    if (handle.task.visit > handle.node.maxVisits) return { kind: 'failed', failure: tooManyVisits(handle) };
    return startOrRestart(handle);
  });
}

function startOrRestart(handle: TaskHandle): Progress {
  const { state } = handle.task;
  const { behavior } = handle.node;
  const saved = 'saved' in state ? state.saved : null;
  if (saved?.kind === 'finished') return saved.outcome;
  if (saved && behavior.restart) return behavior.restart(new OpenTask(handle), saved);
  return behavior.start(new OpenTask(handle));
}

/** Resumes a waiting task with an input; an ended task is ignored. */
export function resumeTask(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  const { behavior } = handle.node;
  if (state.phase === 'open') advanceTask(handle, () => behavior.resume(new OpenTask(handle), state.position, input));
}

/** Withdraws what an open task has asked people, and begins its work anew in the same visit. */
export function askAgain(handle: TaskHandle): void {
  cancelTimersAndApprovalsOf(handle);
  advanceTask(handle, () => handle.node.behavior.start(new OpenTask(handle)));
}

/** Saves a call's result for the retry of a task that has failed meanwhile. */
export function saveLateResult(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  const { behavior } = handle.node;
  if (!hasResumableProgress(state)) return;
  const saved = withTaskAllowance(handle, () => behavior.updateSaved?.(new OpenTask(handle), state.saved, input));
  if (saved) setState(handle, { ...state, saved });
}

function advanceTask(handle: TaskHandle, step: () => Progress): void {
  setState(handle, takeStep(handle, step));
}

/** Takes a step of a task. @returns the task's next state; a thrown error becomes the task's failure */
function takeStep(handle: TaskHandle, step: () => Progress): TaskState {
  try {
    const progress = withTaskAllowance(handle, step);
    switch (progress.kind) {
      case 'open':
        return withRoom(handle, { phase: 'open', position: progress.position });
      case 'done':
      case 'commanded':
        if (handle.node.deadlineMs !== null) cancelTimersOf(handle);
        return recordOutcome(handle, progress);
      case 'failed':
        return recordFailure(handle, progress.failure, progress.saved ?? progressOf(handle));
    }
  } catch (error) {
    const failure = toRunError(error);
    return recordFailure(handle, { callFailed: false, error: failure }, progressOf(handle));
  }
}

/**
 * True if a retry needs another answer, because the recorded one would fail again: of code that ended the run, or with
 * a message from outside that its channel does not take.
 */
function needsOtherAnswer({ node }: TaskHandle, { code }: RunError): boolean {
  return code === 'ABORTED' || (node.hasOutsideResult && code === 'CHANNEL_SCHEMA_VIOLATION');
}

/**
 * Records a task's outcome. A task whose outcome can't be written fails, and saves the outcome for a retry. If there is
 * no room for that, the retry asks the ledger for the same call.
 */
function recordOutcome(handle: TaskHandle, outcome: Outcome): TaskState {
  try {
    return withTaskAllowance(handle, () =>
      outcome.kind === 'done' ? recordResult(handle, outcome) : executeCommand(handle, outcome),
    );
  } catch (error) {
    const failure = toRunError(error);
    const callFailed = needsOtherAnswer(handle, failure);
    const saved =
      callFailed || !hasRoom(handle.draft, bytesOf(outcome)) ? null : ({ kind: 'finished', outcome } as const);
    return recordFailure(handle, { callFailed, error: failure }, saved);
  }
}

function recordResult(handle: TaskHandle, outcome: Outcome & { kind: 'done' }): TaskState {
  const { result, update: given = {} } = outcome;
  const written = handle.node.write({ ...taskBindings(handle), result });
  if (handle.node.hasOutsideResult) requireAllowedMessages(handle, written);
  const update = { ...given, ...addToConversation(given, written) };
  requireAllowedSize('What the node writes', update);
  const state = withRoom(handle, { phase: 'completed', update, goto: null, outcome });
  emitTask(handle, { type: 'node.completed', update });
  return state;
}

/** @returns the task's next state @throws GraphError `PAYLOAD_TOO_LARGE` if the run would hold too much with it */
function withRoom(handle: TaskHandle, state: TaskState): TaskState {
  const { draft, task } = handle;
  if (hasRoom(draft, bytesOfTask({ state }) - bytesOfTask(task))) return state;
  throw new GraphError('PAYLOAD_TOO_LARGE', `The open tasks of the run would hold over ${MAX_HELD_BYTES} bytes`);
}

/**
 * Checks the messages in an update that is made of something from outside, such as an event. A role that the definition
 * itself names counts as the graph's own word.
 * @throws GraphError `CHANNEL_SCHEMA_VIOLATION` if a channel does not take a message from outside
 */
function requireAllowedMessages({ node, frame }: TaskHandle, update: Update): void {
  const fromOutside = Object.entries(update).filter(([channel]) => !node.rolesNamedFor.has(channel));
  const refused = findRefusedMessage(frame.graph, frame.scope.channels, Object.fromEntries(fromOutside));
  if (refused) throw new GraphError('CHANNEL_SCHEMA_VIOLATION', refused.message);
}

/** Returns a node's writes after its conversation on the same channel; a repeated message counts once. */
function addToConversation(conversation: Update, written: Update): Update {
  const both: Record<string, Json> = {};
  for (const [channel, value] of Object.entries(written)) {
    if (!Object.hasOwn(conversation, channel) || isReplacement(value)) continue;
    const items = toItems(value);
    const earlier = toItems(conversation[channel] ?? []).filter((one) => !items.some((item) => deepEqual(one, item)));
    both[channel] = [...earlier, ...items];
  }
  return { ...written, ...both };
}

/** Executes a command that code returns to the engine. */
function executeCommand(handle: TaskHandle, outcome: Outcome & { kind: 'commanded' }): TaskState {
  const { draft, node } = handle;
  const { update: given, goto, control, reason } = outcome.command;
  if (control === 'abort') throw new GraphError('ABORTED', reason ?? `Node "${node.id}" ended the run`);
  if (control === 'pause' && !standsStill(draft.run) && !isClosing(draft.run))
    draft.enter({ kind: 'running', pause: { by: node.id, reason } });
  const update = { ...given, ...node.writeOfCommand({ ...taskBindings(handle), result: null }) };
  requireAllowedSize('What the node writes', update);
  const chosen = { nodes: goto, ignoresEdges: control === 'replan' };
  const state = withRoom(handle, { phase: 'completed', update, goto: chosen, outcome });
  emitTask(handle, { type: 'node.completed', update });
  return state;
}

/**
 * Completes a task with a person's output. @throws GraphError if the node can't write it; the task then keeps waiting
 */
export function skipTask(handle: TaskHandle, output: Json, by: string): void {
  const { node, task, frame } = handle;
  const update = withTaskAllowance(handle, () => node.write({ ...taskBindings(handle), result: output }));
  requireAllowedMessages(handle, update);
  const error = tryWrite(frame.graph.channels, frame.scope.channels, { by: task.key, node: node.id, update });
  if (error) throw new GraphError(error.code, error.message);
  const outcome = { kind: 'done', result: output } as const;
  const state = withRoom(handle, { phase: 'completed', update, goto: null, outcome });
  emitTask(handle, { type: 'node.skipped', update, by });
  setState(handle, state);
}

/** Fails a task that a person gives up. */
export function giveUpTask(
  handle: TaskHandle,
  { failure, saved, by }: Pick<TaskState & { phase: 'failed' }, 'failure' | 'saved'> & { readonly by: string },
): void {
  const { attempts = 1 } = failure.error;
  const error = withLocation(handle, failure.error);
  emitTask(handle, { type: 'node.failed', error, attempts, by });
  cancelTimersAndApprovalsOf(handle);
  setState(handle, { phase: 'failed', failure: { ...failure, error }, saved });
}

/** Adds the location to an error, whose message may quote the reason of a person or an answer from outside. */
export function withLocation({ node, frame }: TaskHandle, error: RunError): RunError {
  const { attempts = 1 } = error;
  const message = abbreviate(error.message, MAX_MESSAGE);
  return { ...error, message, attempts, node: node.id, step: frame.scope.step };
}

/** Failures outside the node's own work, which `onError` does not catch. */
const FAILS_THE_RUN: ReadonlySet<RunErrorCode> = new Set([
  'BUDGET_EXCEEDED',
  'DEADLINE_EXCEEDED',
  'CANCELED',
  'ABORTED',
  'INTERNAL',
]);

/** Records a task's failure, and cancels what the task waits for. @returns the task's next state */
function recordFailure(handle: TaskHandle, { callFailed, error }: TaskFailure, saved: SavedProgress | null): TaskState {
  const { attempts = 1 } = error;
  const failure: TaskFailure = { callFailed, error: withLocation(handle, error) };
  emitTask(handle, { type: 'node.failed', error: failure.error, attempts });
  cancelTimersAndApprovalsOf(handle);
  return cancelCallsWithin(handle, failure, saved) ?? stateAfterFailure(handle, failure, saved);
}

/** Ends a failed subgraph after its open calls return. @returns true if it has ended */
export function endFailingSubgraph(handle: TaskHandle): boolean {
  const saved = progressOf(handle);
  if (saved?.kind !== 'subgraph' || !saved.failing || callsWithin(handle).length > 0) return false;
  const { failing, ...position } = saved;
  cancelTimersAndApprovalsOf(handle);
  setState(handle, stateAfterFailure(handle, failing, position));
  return true;
}

/** Returns the state of a failed task, which its `onError` chooses. */
function stateAfterFailure(handle: TaskHandle, failure: TaskFailure, saved: SavedProgress | null): TaskState {
  const { draft, node } = handle;
  const { error } = failure;
  if (isClosing(draft.run)) return { phase: 'failed', failure, saved: null };
  const { state } = handle.task;
  const call = state.phase === 'open' ? callAt(state.position) : null;
  const intervention = { phase: 'intervention', failure, since: draft.timestamp, saved, call } as const;
  if (leavesUnknownOutcome(handle, error, saved)) return intervention;
  const onError: OnError = FAILS_THE_RUN.has(error.code) ? { kind: 'fail' } : node.onError;
  switch (onError.kind) {
    case 'fail':
      return { phase: 'failed', failure, saved };
    case 'intervene':
      return intervention;
    case 'goto':
      return stateAfterGoto(handle, onError, { failure, saved });
  }
}

/** True if a person must settle the unknown outcome of a call of the task or inside it, whatever `onError` says. */
function leavesUnknownOutcome({ node }: TaskHandle, error: RunError, saved: SavedProgress | null): boolean {
  return hasUnknownOutcome(saved) || (!node.subgraph && isUnknownOutcome(error));
}

/** Returns the work that a retry must not repeat. */
function progressOf(handle: TaskHandle): SavedProgress | null {
  const { state } = handle.task;
  if (state.phase === 'ready') return state.saved ?? null;
  if (state.phase !== 'open' || !isResumable(state.position)) return null;
  return state.position;
}

function stateAfterGoto(
  handle: TaskHandle,
  { to, write }: OnError & { kind: 'goto' },
  { failure, saved }: { failure: TaskFailure; saved: SavedProgress | null },
): TaskState {
  const { code, message, node = '', attempts = 1 } = failure.error;
  try {
    return {
      phase: 'diverted',
      to,
      failure,
      saved,
      update: withTaskAllowance(handle, () =>
        write({ ...taskBindings(handle), error: { code, message, node, attempts } }),
      ),
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

function tooManyVisits({ node, task }: TaskHandle): TaskFailure {
  const message = `Node "${node.id}" would run for the ${task.visit}th time; its maxVisits is ${node.maxVisits}`;
  return { callFailed: false, error: { code: 'MAX_VISITS_EXCEEDED', message } };
}
