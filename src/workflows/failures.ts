import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TimeoutFailure,
  isCancellation,
} from '@temporalio/workflow';
import type { CallRequest } from '../graph/effect.ts';
import type { RunError } from '../graph/errors.ts';
import { isJsonObject } from '../graph/json.ts';
import type { TaskFailure } from '../graph/scope.ts';

/** What an activity's failure says of its call: the activity put it into the failure's details, if it came that far. */
export function toTaskFailure(request: CallRequest, thrown: unknown): TaskFailure {
  if (isCancellation(thrown))
    return { callFailed: false, error: { code: 'CANCELED', message: 'The call was canceled' } };
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  if (cause instanceof ApplicationFailure) {
    const told: unknown = cause.details?.[0];
    if (isTaskFailure(told)) return told;
  }
  if (cause instanceof TimeoutFailure) return timedOut(request);
  return {
    callFailed: false,
    error: { code: 'INTERNAL', message: thrown instanceof Error ? thrown.message : String(thrown) },
  };
}

/** The server gave the call up, and nobody can tell what its worker did: harmless only where the call may be repeated. */
function timedOut(request: CallRequest): TaskFailure {
  const isUnsafe = request.kind !== 'model' && request.effect === 'unsafe';
  return {
    callFailed: false,
    error: { code: isUnsafe ? 'UNKNOWN_OUTCOME' : 'TIMEOUT', message: 'No worker brought the call to an end in time' },
  };
}

function isTaskFailure(value: unknown): value is TaskFailure {
  return (
    isJsonObject(value) &&
    typeof value['callFailed'] === 'boolean' &&
    isJsonObject(value['error']) &&
    typeof value['error']['code'] === 'string'
  );
}

/** How a failed run ends for Temporal: its code is the failure's type. */
export function toWorkflowFailure({ code, message }: RunError): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true });
}

export function toCanceledFailure(by: string, reason: string | null): CancelledFailure {
  return new CancelledFailure(`Canceled by ${by}${reason === null ? '' : `: ${reason}`}`);
}

/** A plain error would make Temporal try the workflow task again for ever; it ends the run instead. */
export function toInternalFailure(thrown: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'INTERNAL',
    message: thrown instanceof Error ? thrown.message : String(thrown),
    nonRetryable: true,
  });
}
