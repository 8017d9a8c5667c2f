import type { Draft } from '../draft/draft.ts';
import { isWithinTask, keyOfCall } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import type { CallResult } from '../run/occurrence.ts';
import type { OpenCall } from '../run/run.ts';
import { isClosing } from '../run/status.ts';
import type { BatchCall } from '../run/tool-batch.ts';
import { isUnknownOutcome } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';

/*
 * Calls that were possibly executed and have no result: keyed ones, those with a compensation, and those that an ended
 * run left without an answer. They are not compensated, so the error of a run that fails or is canceled names them.
 */

/** Remembers a failed call that was possibly executed, and forgets a call with any other result. */
export function updatePossiblyExecuted(draft: Draft, call: OpenCall, result: CallResult): void {
  const { key } = result;
  if (result.kind === 'call.failed' && isPossiblyExecuted(draft, call, result.failure))
    draft.rememberPossiblyExecuted([{ key, taskPath: call.taskPath, called: call.called.name }]);
  else draft.forgetPossiblyExecuted((one) => one.key === key);
}

/**
 * True if a failed call must be remembered. If its task waits for a person, the task itself reports the unknown
 * outcome.
 */
function isPossiblyExecuted({ run }: Draft, call: OpenCall, { callFailed, error }: TaskFailure): boolean {
  return call.ifUnknown !== undefined && !callFailed && (!isUnknownOutcome(error) || isClosing(run));
}

/**
 * Closes the open calls of a run that ends without their answers. Calls that were possibly executed are remembered and
 * counted.
 */
export function leaveCallsUnanswered(draft: Draft): void {
  for (const key of Object.keys(draft.run.calls)) {
    const call = draft.takeCall(key);
    if (call?.ifUnknown) leaveUnanswered(draft, key, call);
  }
}

function leaveUnanswered(draft: Draft, key: string, { taskPath, called, takeover }: OpenCall): void {
  draft.rememberPossiblyExecuted([{ key, taskPath, called: called.name, unansweredTakeover: takeover }]);
  if (called.kind === 'tool') draft.chargeToolCall(key);
}

/**
 * Forgets the calls whose outcome a person has settled.
 * @param call `null` if the node itself is settled, with the tasks inside it
 */
export function settlePossiblyExecuted(handle: TaskHandle, call: BatchCall | null): void {
  const { draft, taskPath } = handle;
  const key = call && keyOfCall(handle, call.number);
  draft.forgetPossiblyExecuted((one) => (key === null ? isWithinTask(one.taskPath, taskPath) : one.key === key));
}
