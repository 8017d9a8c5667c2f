import {
  withTaskAllowance,
  cancelTimersAndApprovalsOf,
  cancelTimersOf,
  emitTask,
  taskBindings,
} from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { requireRoom, setState } from '../draft/scope-draft.ts';
import type { TaskInput, TaskProgress } from '../nodes/behavior.ts';
import type {
  CommandedOutcome,
  DoneOutcome,
  NodePosition,
  SavedProgress,
  TaskOutcome,
  TaskState,
  TaskStateIn,
} from '../run/scope.ts';
import { batchAtPosition, savedProgressOf } from '../run/task-position.ts';
import { toRunError, GraphError } from '../values/errors.ts';
import type { TaskFailure, RunError } from '../values/errors.ts';
import { failTask } from './fail-task.ts';
import { TaskServices } from './task-services.ts';
import type { BatchCall, ToolBatch } from '../run/tool-batch.ts';
import { isReplacement } from '../channels/apply-writes.ts';
import type { UpdateByChannel } from '../channels/channel.ts';
import { findRefusedMessage } from '../channels/outside-messages.ts';
import { hasRoomFor } from '../draft/draft.ts';
import { approximateBytes } from '../run/held-bytes.ts';
import { isClosing, standsStill } from '../run/status.ts';
import { requireAllowedSize } from '../values/json-size.ts';
import { toItems } from '../values/json.ts';
import { deepEqual } from '../values/compare-json.ts';
import type { Json } from '../values/json.ts';

/** Starts a ready task. */
export function startTask(handle: TaskHandle): void {
  emitTask(handle, { type: 'node.started' });
  advanceTask(handle, () => {
    if (handle.task.visit > handle.node.maxVisits) return { kind: 'failed', failure: tooManyVisits(handle) };
    return startOrRestart(handle);
  });
}

function startOrRestart(handle: TaskHandle): TaskProgress {
  const { state } = handle.task;
  const { behavior } = handle.node;
  const saved = 'saved' in state ? state.saved : null;
  if (saved?.kind === 'finished') return saved.outcome;
  if (saved && behavior.restart) return behavior.restart(new TaskServices(handle), saved);
  return behavior.start(new TaskServices(handle));
}

/** Resumes a waiting task with an input. An ended task ignores it. */
export function resumeTask(handle: TaskHandle, input: TaskInput): void {
  const { state } = handle.task;
  const { behavior } = handle.node;
  if (state.phase === 'open')
    advanceTask(handle, () => behavior.resume(new TaskServices(handle), state.position, input));
}

/** Withdraws the approvals of an open task, and restarts its work in the same visit. */
export function askAgain(handle: TaskHandle): void {
  cancelTimersAndApprovalsOf(handle);
  advanceTask(handle, () => handle.node.behavior.start(new TaskServices(handle)));
}

function advanceTask(handle: TaskHandle, step: () => TaskProgress): void {
  setState(handle, takeTaskStep(handle, step));
}

/** Runs a step of a task. @returns the task's next state; a thrown error becomes the task's failure */
function takeTaskStep(handle: TaskHandle, step: () => TaskProgress): TaskState {
  try {
    const progress = withTaskAllowance(handle, step);
    switch (progress.kind) {
      case 'open':
        return openTask(handle, progress.position);
      case 'done':
      case 'commanded':
        if (handle.node.deadlineMs !== null) cancelTimersOf(handle);
        return finishTask(handle, progress);
      case 'failed':
        return failTask(handle, progress.failure, progress.saved ?? savedProgressOf(handle.task.state));
    }
  } catch (error) {
    return failTask(handle, { callFailed: false, error: toRunError(error) }, savedProgressOf(handle.task.state));
  }
}

/**
 * Opens a task at a position. If the run has no room for the position, the task fails, and saves which of its calls
 * have begun.
 */
function openTask(handle: TaskHandle, position: NodePosition): TaskState {
  const state = { phase: 'open', position } as const;
  try {
    requireRoom(handle, state);
    return state;
  } catch (error) {
    const saved = withBegunCalls(savedProgressOf(handle.task.state), position);
    return failTask(handle, { callFailed: false, error: toRunError(error) }, saved);
  }
}

function tooManyVisits({ node, task }: TaskHandle): TaskFailure {
  const message = `Node "${node.id}" would run for the ${task.visit}th time; its maxVisits is ${node.maxVisits}`;
  return { callFailed: false, error: { code: 'MAX_VISITS_EXCEEDED', message } };
}

/**
 * Returns saved progress with the parts of a later position of the same batch that must never be lost, even without
 * room: which calls have begun, and which wait for a person. An answer is dropped; its call is repeated under its key.
 */
export function withBegunCalls(saved: SavedProgress | null, later: NodePosition): SavedProgress | null {
  if (!saved || saved.kind === 'finished') return saved;
  const [before, after] = [batchAtPosition(saved), batchAtPosition(later)];
  if (!isSameBatch(before, after)) return saved;
  const batch = begunCalls(before, after);
  if (saved.kind === 'agent' && later.kind === 'agent') {
    const { callsMade } = later.conversation;
    return { ...saved, stage: { kind: 'batch', batch }, conversation: { ...saved.conversation, callsMade } };
  }
  if (saved.kind === 'calls' && later.kind === 'calls') return { ...saved, batch, callsMade: later.callsMade };
  return saved;
}

/**
 * One step begins a batch or continues it, so two batches of the same length are the same one. A model turn has no
 * batch.
 */
function isSameBatch(before: ToolBatch, after: ToolBatch): boolean {
  return before.length > 0 && before.length === after.length;
}

function begunCalls(before: ToolBatch, after: ToolBatch): ToolBatch {
  return before.map((call, at) => latestCallState(call, after[at]));
}

function latestCallState(before: BatchCall, after: BatchCall = before): BatchCall {
  return after.state.phase === 'open' || after.state.phase === 'intervention' ? after : before;
}

/**
 * Ends a task with its outcome. If the outcome can't be written, the task fails, and saves the outcome for a retry.
 * Without room for that, the retry reads the result of the same call from the ledger.
 * @returns the task's next state
 */
function finishTask(handle: TaskHandle, outcome: TaskOutcome): TaskState {
  try {
    return withTaskAllowance(handle, () =>
      outcome.kind === 'done' ? recordResult(handle, outcome) : executeCommand(handle, outcome),
    );
  } catch (error) {
    const failure = toRunError(error);
    const callFailed = needsOtherAnswer(handle, failure);
    const saved =
      callFailed || !hasRoomFor(handle.draft, approximateBytes(outcome))
        ? null
        : ({ kind: 'finished', outcome } as const);
    return failTask(handle, { callFailed, error: failure }, saved);
  }
}

/**
 * True if a retry needs another answer because the recorded one would fail again: code has ended the run, or the answer
 * contains a message from outside that its channel does not accept.
 */
function needsOtherAnswer({ node }: TaskHandle, { code }: RunError): boolean {
  return code === 'ABORTED' || (node.hasOutsideResult && code === 'CHANNEL_SCHEMA_VIOLATION');
}

function recordResult(handle: TaskHandle, outcome: DoneOutcome): TaskState {
  const { result, update: given = {} } = outcome;
  const written = handle.node.write({ ...taskBindings(handle), result });
  if (handle.node.hasOutsideResult) requireAllowedMessages(handle, written);
  const update = { ...given, ...addToConversation(given, written) };
  const goto = outcome.goto === undefined ? null : { nodes: [outcome.goto], ignoresEdges: true };
  return completeTask(handle, { update, goto, outcome });
}

/** Executes a command that code returns to the engine. */
function executeCommand(handle: TaskHandle, outcome: CommandedOutcome): TaskState {
  const { draft, node } = handle;
  const { update: given, goto, control, reason } = outcome.command;
  if (control === 'abort') throw new GraphError('ABORTED', reason ?? `Node "${node.id}" ended the run`);
  if (control === 'pause' && !standsStill(draft.run) && !isClosing(draft.run))
    draft.enter({ kind: 'running', pause: { by: node.id, reason } });
  const update = { ...given, ...node.writeOfCommand({ ...taskBindings(handle), result: null }) };
  return completeTask(handle, { update, goto: { nodes: goto, ignoresEdges: control === 'replan' }, outcome });
}

type TaskCompletion = Omit<TaskStateIn<'completed'>, 'phase'>;

/** @throws GraphError `PAYLOAD_TOO_LARGE` if the update is too large, or the run would hold too much with it */
function completeTask(handle: TaskHandle, completion: TaskCompletion): TaskState {
  const { update } = completion;
  requireAllowedSize('What the node writes', update);
  const state = { phase: 'completed', ...completion } as const;
  requireRoom(handle, state);
  emitTask(handle, { type: 'node.completed', update });
  return state;
}

/**
 * Checks the messages in an update that is made from outside data, such as an event. If the definition names a
 * message's role as a constant, the message counts as the graph's own.
 * @throws GraphError `CHANNEL_SCHEMA_VIOLATION` if a channel does not accept a message from outside
 */
export function requireAllowedMessages({ node, frame }: TaskHandle, update: UpdateByChannel): void {
  const fromOutside = Object.entries(update).filter(([channel]) => !node.rolesNamedFor.has(channel));
  const refused = findRefusedMessage(frame.graph, frame.scope.channels, Object.fromEntries(fromOutside));
  if (refused) throw new GraphError('CHANNEL_SCHEMA_VIOLATION', refused.message);
}

/** Returns the node's conversation followed by its writes to the same channel. A repeated message counts once. */
function addToConversation(conversation: UpdateByChannel, written: UpdateByChannel): UpdateByChannel {
  const both: Record<string, Json> = {};
  for (const [channel, value] of Object.entries(written)) {
    if (!Object.hasOwn(conversation, channel) || isReplacement(value)) continue;
    const items = toItems(value);
    const earlier = toItems(conversation[channel] ?? []).filter((one) => !items.some((item) => deepEqual(one, item)));
    both[channel] = [...earlier, ...items];
  }
  return { ...written, ...both };
}
