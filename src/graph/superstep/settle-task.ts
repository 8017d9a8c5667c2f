import { tryWrite } from '../channels/apply-writes.ts';
import { withOwnAllowance, cancelTimersAndApprovalsOf, emitTask, taskBindings } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { requireRoom, setState } from '../draft/scope-draft.ts';
import type { SavedProgress } from '../run/scope.ts';
import { countUnknownOutcomes } from '../run/unknown-outcomes.ts';
import { GraphError } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import { failAfterCallsWithin, withLocation } from './fail-task.ts';
import { requireAllowedMessages } from './run-task.ts';

/**
 * Completes a task with a person's output.
 * @throws GraphError if the node can't write it; the task then keeps waiting
 */
export function skipTask(handle: TaskHandle, output: Json, by: string): void {
  const { node, task, frame } = handle;
  const update = withOwnAllowance(handle, () => node.write({ ...taskBindings(handle), result: output }));
  requireAllowedMessages(handle, update);
  const error = tryWrite(frame.graph.channels, frame.scope.channels, { by: task.key, node: node.id, update });
  if (error) throw new GraphError(error.code, error.message);
  const outcome = { kind: 'done', result: output } as const;
  const state = { phase: 'completed', update, goto: null, outcome } as const;
  requireRoom(handle, state);
  emitTask(handle, { type: 'node.skipped', update, by });
  setState(handle, state);
}

/** Fails a task that a person has given up, after the calls of its graphs have returned. */
export function giveUpTask(handle: TaskHandle, failure: TaskFailure, saved: SavedProgress | null, by: string): void {
  const { attempts = 1 } = failure.error;
  const given = { ...failure, error: withLocation(handle, failure.error) };
  emitTask(handle, { type: 'node.failed', error: given.error, attempts, by });
  cancelTimersAndApprovalsOf(handle);
  const failing = { ...given, givenUp: { unknownCount: countUnknownOutcomes(saved) } };
  setState(handle, failAfterCallsWithin(handle, failing, saved) ?? { phase: 'failed', failure: given, saved });
}
