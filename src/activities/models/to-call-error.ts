import {
  AISDKError,
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { errorChain } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import { findClassified, fromNetwork, fromStatus } from '../calls/classify-failure.ts';
import { failureReason, isGenerationFailure, retryDelayIn, errorStatus } from './failure-reason.ts';
import { ReportedError, toProviderError } from './wire/reported-error.ts';

interface AdapterFailure {
  /** The model's name in the configuration. */
  readonly model: string;
  readonly thrown: unknown;
  /** The status of the provider's response; `null` without one. */
  readonly status: number | null;
}

/** Classifies an adapter's error by the table of all failures. */
export function toModelCallError({ model, thrown, status }: AdapterFailure): CallError {
  const own = findClassified('MODEL_FAILED', thrown);
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
  const error = toProviderError(parseBody(responseBody ?? ''));
  return classifyResponse({ model, status, error, summary: message, headers: new Headers(responseHeaders ?? {}) });
}

/**
 * Classifies a failure after a successful status: an error within the answer, an invalid answer, or a broken stream.
 */
function fromBrokenAnswer(model: string, thrown: unknown): CallError {
  const reported = errorChain(thrown).find((error) => error instanceof ReportedError);
  if (reported) {
    const { error } = reported;
    const summary = 'the answer is an error without a message';
    return classifyResponse({ model, status: errorStatus(error), error, summary, headers: new Headers() });
  }
  const isBroken = APICallError.isInstance(thrown) && thrown.responseBody === undefined;
  if (isBroken || !AISDKError.isInstance(thrown) || hasNoEnd(thrown)) return fromNetwork('MODEL_FAILED', thrown);
  return new CallError('MODEL_FAILED', `${model} gave no usable answer: ${describeSdkError(thrown)}`, {
    retryable: false,
    done: 'perhaps',
  });
}

/** The parser quotes some characters of a text, which may be part of a secret. */
function describeSdkError(thrown: AISDKError): string {
  if (JSONParseError.isInstance(thrown)) return `it is no JSON: ${thrown.text}`;
  return InvalidResponseDataError.isInstance(thrown) ? 'a tool call has no name' : thrown.message;
}

/** The adapter for compatible servers throws this for a stream without a finish reason. */
function hasNoEnd(thrown: unknown): boolean {
  return InvalidResponseDataError.isInstance(thrown) && thrown.data === undefined;
}

interface ErrorResponse {
  readonly model: string;
  readonly status: number;
  readonly error: JsonObject;
  /** The message if the error has none. */
  readonly summary: string;
  readonly headers: Headers;
}

function classifyResponse({ model, status, error, summary, headers }: ErrorResponse): CallError {
  const message = `${model} answered ${status}: ${typeof error['message'] === 'string' ? error['message'] : summary}`;
  if (isGenerationFailure(error)) return new CallError('MODEL_FAILED', message, { retryable: true, done: 'perhaps' });
  return fromStatus({
    code: 'MODEL_FAILED',
    callee: 'model',
    status,
    headers,
    message,
    reason: failureReason(status, error),
    retryAfterMs: retryDelayIn(error),
  });
}

/** A body that is no JSON is a message, unless it is a page. */
function parseBody(body: string): Json {
  try {
    const parsed: Json = JSON.parse(body);
    return parsed;
  } catch {
    return /^\s*</.test(body) ? null : body;
  }
}
