import { isReplacement } from '../channels/apply-writes.ts';
import type { Update } from '../channels/channel.ts';
import { findRefusedMessage } from '../channels/outside-messages.ts';
import { withTaskAllowance } from '../draft/allowances.ts';
import { hasRoom } from '../draft/draft.ts';
import { emitTask, taskBindings } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { requireRoom } from '../draft/scope-draft.ts';
import { bytesOf } from '../run/held-bytes.ts';
import type { TaskOutcome, TaskState } from '../run/scope.ts';
import { isClosing, standsStill } from '../run/status.ts';
import { GraphError, toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { requireAllowedSize } from '../values/json-size.ts';
import { deepEqual, toItems } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { failTask } from './fail-task.ts';

/**
 * Ends a task with its outcome. A task whose outcome can't be written fails, and saves the outcome for a retry. If there
 * is no room for that, the retry asks the ledger for the same call.
 * @returns the task's next state
 */
export function finishTask(handle: TaskHandle, outcome: TaskOutcome): TaskState {
  try {
    return withTaskAllowance(handle, () =>
      outcome.kind === 'done' ? recordResult(handle, outcome) : executeCommand(handle, outcome),
    );
  } catch (error) {
    const failure = toRunError(error);
    const callFailed = needsOtherAnswer(handle, failure);
    const saved =
      callFailed || !hasRoom(handle.draft, bytesOf(outcome)) ? null : ({ kind: 'finished', outcome } as const);
    return failTask(handle, { callFailed, error: failure }, saved);
  }
}

/**
 * True if a retry needs another answer, because the recorded one would fail again: of code that ended the run, or with
 * a message from outside that its channel does not take.
 */
function needsOtherAnswer({ node }: TaskHandle, { code }: RunError): boolean {
  return code === 'ABORTED' || (node.hasOutsideResult && code === 'CHANNEL_SCHEMA_VIOLATION');
}

function recordResult(handle: TaskHandle, outcome: TaskOutcome & { kind: 'done' }): TaskState {
  const { result, update: given = {} } = outcome;
  const written = handle.node.write({ ...taskBindings(handle), result });
  if (handle.node.hasOutsideResult) requireAllowedMessages(handle, written);
  const update = { ...given, ...addToConversation(given, written) };
  return completeTask(handle, { update, goto: null, outcome });
}

/** Executes a command that code returns to the engine. */
function executeCommand(handle: TaskHandle, outcome: TaskOutcome & { kind: 'commanded' }): TaskState {
  const { draft, node } = handle;
  const { update: given, goto, control, reason } = outcome.command;
  if (control === 'abort') throw new GraphError('ABORTED', reason ?? `Node "${node.id}" ended the run`);
  if (control === 'pause' && !standsStill(draft.run) && !isClosing(draft.run))
    draft.enter({ kind: 'running', pause: { by: node.id, reason } });
  const update = { ...given, ...node.writeOfCommand({ ...taskBindings(handle), result: null }) };
  return completeTask(handle, { update, goto: { nodes: goto, ignoresEdges: control === 'replan' }, outcome });
}

type Completion = Omit<TaskState & { readonly phase: 'completed' }, 'phase'>;

/** @throws GraphError `PAYLOAD_TOO_LARGE` if the update is too large, or the run would hold too much with it */
function completeTask(handle: TaskHandle, completion: Completion): TaskState {
  const { update } = completion;
  requireAllowedSize('What the node writes', update);
  const state = { phase: 'completed', ...completion } as const;
  requireRoom(handle, state);
  emitTask(handle, { type: 'node.completed', update });
  return state;
}

/**
 * Checks the messages in an update that is made of something from outside, such as an event. A role that the definition
 * itself names counts as the graph's own word.
 * @throws GraphError `CHANNEL_SCHEMA_VIOLATION` if a channel does not take a message from outside
 */
export function requireAllowedMessages({ node, frame }: TaskHandle, update: Update): void {
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
