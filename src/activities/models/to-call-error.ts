import {
  AISDKError,
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { errorChain } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import { fromNetwork, fromStatus } from '../calls/classify-failure.ts';
import { failureReason, retryDelayIn } from './failure-reason.ts';
import { findProviderError, statusOf } from './provider-error.ts';
import { StreamedError } from './read-stream.ts';

interface Failure {
  /** The model's name in the configuration. */
  readonly model: string;
  readonly thrown: unknown;
  /** The status of the provider's response; `null` without one. */
  readonly status: number | null;
}

/** Classifies an adapter's error by the table of all failures. */
export function toCallError({ model, thrown, status }: Failure): CallError {
  const own = errorChain(thrown).find((cause) => cause instanceof CallError);
  if (own) return own;
  if (status !== null && status < 300) return fromBrokenAnswer(model, thrown);
  if (APICallError.isInstance(thrown) && thrown.statusCode !== undefined)
    return fromErrorResponse(model, thrown, thrown.statusCode);
  // The adapter could not build the request, so it was not sent.
  if (status === null && AISDKError.isInstance(thrown) && !APICallError.isInstance(thrown))
    return new CallError('MODEL_FAILED', `${model} can't be asked this: ${thrown.message}`, {
      retryable: false,
      done: 'no',
      reason: refusesFile(thrown) ? 'unsupported_media_type' : null,
    });
  return fromNetwork('MODEL_FAILED', thrown);
}

/** True if an adapter knows no way to send a file of this media type. */
function refusesFile(thrown: unknown): boolean {
  return UnsupportedFunctionalityError.isInstance(thrown) && /media type/i.test(thrown.functionality);
}

function fromErrorResponse(
  model: string,
  { responseBody, responseHeaders, message }: APICallError,
  status: number,
): CallError {
  const error = findProviderError(responseBody) ?? {};
  return classify({ model, status, error, summary: message, headers: new Headers(responseHeaders ?? {}) });
}

/**
 * Classifies a failure after a successful status: an error within the answer, an invalid answer, or a broken stream.
 */
function fromBrokenAnswer(model: string, thrown: unknown): CallError {
  const error = reportedErrorIn(thrown);
  if (error) return classify({ model, status: statusOf(error), error, summary: '', headers: new Headers() });
  const isBroken = APICallError.isInstance(thrown) && thrown.responseBody === undefined;
  if (isBroken || !AISDKError.isInstance(thrown) || hasNoEnd(thrown)) return fromNetwork('MODEL_FAILED', thrown);
  // The parser quotes some characters of the text, which may be part of a secret.
  const why = JSONParseError.isInstance(thrown) ? `it is no JSON: ${thrown.text}` : thrown.message;
  return new CallError('MODEL_FAILED', `${model} gave no usable answer: ${why}`, {
    retryable: false,
    done: 'perhaps',
  });
}

function reportedErrorIn(thrown: unknown): JsonObject | null {
  if (thrown instanceof StreamedError) return findProviderError(thrown.body) ?? { message: String(thrown.body) };
  return APICallError.isInstance(thrown) ? findProviderError(thrown.responseBody) : null;
}

/** The adapter for compatible servers throws this for a stream without a finish reason. */
function hasNoEnd(thrown: unknown): boolean {
  return InvalidResponseDataError.isInstance(thrown) && thrown.data === undefined;
}

interface ReportedError {
  readonly model: string;
  readonly status: number;
  readonly error: JsonObject;
  /** The message if the error has none. */
  readonly summary: string;
  readonly headers: Headers;
}

function classify({ model, status, error, summary, headers }: ReportedError): CallError {
  const message = typeof error['message'] === 'string' ? error['message'] : summary;
  return fromStatus({
    code: 'MODEL_FAILED',
    callee: 'model',
    status,
    headers,
    message: `${model} answered ${status}: ${message}`,
    reason: failureReason(status, error),
    retryAfterMs: retryDelayIn(error),
  });
}
