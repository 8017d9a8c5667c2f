import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  isCancellation,
  CancelledFailure,
} from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { CONTRADICTION } from '../graph/journal/index.ts';
import { isUnsafeCall, needsSettlement } from '../graph/run/index.ts';
import type { CallEffect, OccurrenceBody } from '../graph/run/index.ts';
import type { RunError, TaskFailure, TokenUsage } from '../graph/values/index.ts';
import {
  isBoolean,
  isExactly,
  isNumber,
  isObjectOf,
  isRunError,
  isUnknownOutcome,
  messageOf,
  orAbsent,
} from '../graph/values/index.ts';
import type { Inbox } from './inbox.ts';

/** Reads the `TaskFailure` from the details of an activity's failure, or derives one from the failure itself. */
export function toTaskFailure(call: Pick<CallEffect, 'request' | 'takeover'>, thrown: unknown): TaskFailure {
  if (isCancellation(thrown)) return CANCELED_FAILURE;
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  if (cause instanceof ApplicationFailure) {
    const detail: unknown = cause.details?.[0];
    if (isTaskFailure(detail)) return detail;
  }
  if (cause instanceof TimeoutFailure) return toTimeoutFailure(call, cause);
  return {
    callFailed: false,
    error: { code: 'INTERNAL', message: messageOf(thrown) },
  };
}

/** The failure of a call that was canceled during an attempt. */
export const CANCELED_FAILURE: TaskFailure = {
  callFailed: false,
  error: { code: 'CANCELED', message: 'The call was canceled' },
};

/**
 * True if an activity's failure determines the outcome of its call: known to have failed, or recorded as unknown. Other
 * failures of a canceled call must be reconciled with the ledger.
 */
export function isConclusive(thrown: unknown): boolean {
  const failure = finalFailureIn(thrown);
  return failure !== null && (failure.callFailed || isUnknownOutcome(failure.error));
}

/** True if the last attempt of a call has reported the call's failure. */
export function isReported(thrown: unknown): boolean {
  return finalFailureIn(thrown) !== null;
}

function finalFailureIn(thrown: unknown): TaskFailure | null {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  const detail: unknown = cause instanceof ApplicationFailure && cause.nonRetryable ? cause.details?.[0] : null;
  return isTaskFailure(detail) ? detail : null;
}

/**
 * Reads the failure of a canceled call from the ledger's answer. A person settles an unknown outcome only if the run
 * requires that; other calls may simply be repeated under their key.
 */
export function toCanceledCallFailure(call: CallEffect, thrown: unknown): TaskFailure {
  const failure = toTaskFailure(call, thrown);
  if (needsSettlement(call) || !isUnknownOutcome(failure.error)) return failure;
  return { callFailed: false, error: { code: 'CANCELED', message: POSSIBLY_EXECUTED } };
}

const POSSIBLY_EXECUTED = 'The call was canceled, and may have been made';

type FailedCall = OccurrenceBody & { readonly kind: 'call.failed' };

/** Returns the occurrence of a call that was canceled before it began. A takeover repeats a possibly executed call. */
export function callCanceled({ key, takeover }: Pick<CallEffect, 'key' | 'takeover'>): FailedCall {
  return {
    kind: 'call.failed',
    key,
    failure: takeover === 0 ? { ...CANCELED_FAILURE, callFailed: true } : CANCELED_FAILURE,
  };
}

/** After a timeout of the server, the outcome of an unsafe call is unknown, unless no worker has started it. */
function toTimeoutFailure(
  { request, takeover }: Pick<CallEffect, 'request' | 'takeover'>,
  timeout: TimeoutFailure,
): TaskFailure {
  const error = wasNeverStarted(timeout)
    ? ({ code: 'TIMEOUT', message: NOT_STARTED, attempts: 0 } as const)
    : ({ code: isUnsafeCall(request) ? 'UNKNOWN_OUTCOME' : 'TIMEOUT', message: NOT_ENDED } as const);
  return { callFailed: wasNeverStarted(timeout) && takeover === 0, error };
}

const NOT_ENDED = 'No worker brought the call to an end in time';
const NOT_STARTED = 'No worker took the call in time';

/** True if no attempt has begun: an earlier attempt would appear as the cause of the failure. */
function wasNeverStarted({ timeoutType, failure }: TimeoutFailure): boolean {
  return timeoutType === 'SCHEDULE_TO_START' && !failure?.cause;
}

const isTaskFailure = isObjectOf<TaskFailure>({
  error: isRunError,
  callFailed: isBoolean,
  intervenes: orAbsent(isExactly(true)),
  usage: orAbsent(isObjectOf<TokenUsage>({ inputTokens: isNumber, outputTokens: isNumber })),
});

/** Returns the failure with which a failed run ends in Temporal. Its type is the run's error code. */
export function toWorkflowFailure({ code, message }: RunError): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true });
}

/** Returns the failure of a run whose journal the store has refused. */
export function toJournalFailure(thrown: unknown): ApplicationFailure {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  const type = isContradiction(thrown) ? CONTRADICTION : 'INTERNAL';
  return ApplicationFailure.create({ type, message: messageOf(cause), nonRetryable: true });
}

/** True if an activity has found that the stored journal contradicts the run. */
export function isContradiction(thrown: unknown): boolean {
  const cause = thrown instanceof ActivityFailure ? thrown.cause : thrown;
  return cause instanceof ApplicationFailure && cause.type === CONTRADICTION;
}

function toCanceledFailure(by: string, reason: string | null): CancelledFailure {
  return new CancelledFailure(`Canceled by ${by}${reason === null ? '' : `: ${reason}`}`);
}

/**
 * Ends the workflow as canceled after the engine's own `cancel` signal. The SDK closes a workflow as canceled only if its
 * flag says that the server has requested the cancellation, so the flag is set here.
 */
export function endAsCanceled(by: string, reason: string | null): CancelledFailure {
  Object.assign(getActivator(), { cancelled: true });
  return toCanceledFailure(by, reason);
}

/** The failure with which the workflow must end, because the store has refused a batch of its journal. */
export interface RefusedBatch {
  /** Returns the failure; `null` if no batch was refused. */
  failure(): ApplicationFailure | null;
  set(failure: ApplicationFailure): void;
}

export function createRefusedBatch(inbox: Inbox): RefusedBatch {
  let refusal: ApplicationFailure | null = null;
  return {
    failure: () => refusal,
    set(failure) {
      refusal = failure;
      inbox.push({ kind: 'continue' });
    },
  };
}
