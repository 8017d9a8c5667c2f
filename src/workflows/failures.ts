import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  isCancellation,
  CancelledFailure,
} from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { isUnsafe } from '../graph/run/index.ts';
import type { CallRequest, OccurrenceBody } from '../graph/run/index.ts';
import type { RunError, TaskFailure } from '../graph/values/index.ts';
import { isJsonObject, messageOf } from '../graph/values/index.ts';

/** What an activity's failure says of its call: the activity put it into the failure's details, if it came that far. */
export function toTaskFailure(request: CallRequest, thrown: unknown): TaskFailure {
  if (isCancellation(thrown)) return CANCELED;
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  if (cause instanceof ApplicationFailure) {
    const told: unknown = cause.details?.[0];
    if (isTaskFailure(told)) return told;
  }
  if (cause instanceof TimeoutFailure) return timedOut(request, cause);
  return {
    callFailed: false,
    error: { code: 'INTERNAL', message: messageOf(thrown) },
  };
}

const CANCELED: TaskFailure = { callFailed: false, error: { code: 'CANCELED', message: 'The call was canceled' } };

/**
 * Whether an activity's failure says what its call did, for good: that it is known to have failed, or that nobody can tell. An
 * attempt that has not heard that its run is canceled says no more than that it has failed.
 */
export function isAccountedFor(thrown: unknown): boolean {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  const told: unknown = cause instanceof ApplicationFailure && cause.nonRetryable ? cause.details?.[0] : null;
  return isTaskFailure(told) && (told.callFailed || told.error.code === 'UNKNOWN_OUTCOME');
}

/** What becomes of a call that was called back before it was made. */
export function callCanceled(key: string): OccurrenceBody {
  return { kind: 'call.failed', key, failure: CANCELED };
}

/** The server gave the call up, and nobody can tell what its worker did: harmless only where the call may be repeated. */
function timedOut(request: CallRequest, timeout: TimeoutFailure): TaskFailure {
  if (isUnsafe(request) && !wasNeverTaken(timeout))
    return { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: NOT_ENDED } };
  return { callFailed: false, error: { code: 'TIMEOUT', message: isUnsafe(request) ? NOT_TAKEN : NOT_ENDED } };
}

const NOT_ENDED = 'No worker brought the call to an end in time';
const NOT_TAKEN = 'No worker took the call in time';

/** No worker was ever given the call. Had an attempt begun, its end would be the failure's cause. */
function wasNeverTaken({ timeoutType, failure }: TimeoutFailure): boolean {
  return timeoutType === 'SCHEDULE_TO_START' && !failure?.cause;
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

function toCanceledFailure(by: string, reason: string | null): CancelledFailure {
  return new CancelledFailure(`Canceled by ${by}${reason === null ? '' : `: ${reason}`}`);
}

/**
 * Ends the workflow as canceled, though it was our own signal that asked for it: the SDK closes a workflow as canceled
 * only when the server requested that, which it notes in this flag.
 */
export function endAsCanceled(by: string, reason: string | null): CancelledFailure {
  Object.assign(getActivator(), { cancelled: true });
  return toCanceledFailure(by, reason);
}
