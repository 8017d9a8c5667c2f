import {
  AISDKError,
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { isJsonList, isJsonObject, toJson } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import { findClassified, fromNetwork, fromStatus } from '../calls/classify-failure.ts';
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

/** Reasons that no retry can overcome; the HTTP status does not show them. */
export type FailureReason = 'insufficient_quota' | 'content_filter' | 'context_length_exceeded';

interface ReasonSigns {
  readonly reason: FailureReason;
  /** Codes, types or statuses of providers. */
  readonly names: readonly string[];
  /** Phrases of providers that send no such code. */
  readonly words: RegExp;
}

const SIGNS: readonly ReasonSigns[] = [
  {
    reason: 'insufficient_quota',
    names: [
      'insufficient_quota',
      'billing_hard_limit_reached',
      'billing_not_active',
      'billing_error',
      'exceeded_current_quota_error',
    ],
    words:
      /credit balance is too low|specified API usage limits|exceeded your current quota|insufficient (balance|credits)|credits are depleted/i,
  },
  {
    reason: 'content_filter',
    names: ['content_filter', 'content_policy_violation', 'ResponsibleAIPolicyViolation', 'invalid_prompt'],
    words:
      /content filtering policy|content management policy|violating our usage policy|rejected .{0,100}safety system/i,
  },
  {
    reason: 'context_length_exceeded',
    names: ['context_length_exceeded', 'exceed_context_size_error'],
    words:
      /prompt is too long|exceeds? (the )?(context limit|context window|available context size)|maximum context length|input token count.{0,100} exceeds/i,
  },
];

/** In characters. Only this part of a message, which may be very long, is searched for phrases. */
const MAX_SEARCHED = 2_000;

const PAYMENT_REQUIRED = 402;
const FORBIDDEN = 403;

/** Finds a permanent reason in a provider's error. @returns `null` if the status is enough */
export function failureReason(status: number, error: JsonObject): FailureReason | null {
  if (status === PAYMENT_REQUIRED) return 'insufficient_quota';
  if (status === FORBIDDEN && isModerated(error)) return 'content_filter';
  const names = namesIn(error);
  const message = typeof error['message'] === 'string' ? error['message'].slice(0, MAX_SEARCHED) : '';
  const found = SIGNS.find(
    (signs) => signs.names.some((name) => names.includes(name)) || (status < 500 && signs.words.test(message)),
  );
  if (!found) return null;
  return found.reason === 'insufficient_quota' && isRateLimit(error) ? null : found.reason;
}

function namesIn(error: JsonObject): readonly (Json | undefined)[] {
  const inner = error['innererror'] ?? error['inner_error'];
  return [error['code'], error['type'], isJsonObject(inner) ? inner['code'] : undefined];
}

/** OpenRouter lists its reasons for refusing a prompt. */
function isModerated({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && isJsonList(metadata['reasons']);
}

/** Google also calls limits per minute a quota. A limit per day, or of zero, is permanent. */
function isRateLimit(error: JsonObject): boolean {
  const violations = detailsOf(error).flatMap(({ violations }) => (isJsonList(violations) ? violations : []));
  if (violations.length === 0) return retryDelayIn(error) !== null;
  return !violations.some(
    (violation) =>
      isJsonObject(violation) &&
      (/PerDay/.test(JSON.stringify(violation['quotaId'] ?? '')) || violation['quotaValue'] === '0'),
  );
}

/** Reads Google's retry delay, which it sends in the body. @returns milliseconds, or `null` */
function retryDelayIn(error: JsonObject): number | null {
  const delays = detailsOf(error).flatMap(({ retryDelay }) => (typeof retryDelay === 'string' ? [retryDelay] : []));
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delays[0] ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

function detailsOf({ details }: JsonObject): readonly JsonObject[] {
  return isJsonList(details) ? details.filter(isJsonObject) : [];
}

/**
 * Finds the error in a provider's response: `{ error }`, the same in a list or in `response`, or the error itself.
 * @param body text or JSON
 * @returns `null` if there is none
 */
function findProviderError(body: unknown): JsonObject | null {
  const parsed = parse(body);
  const outer = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isJsonObject(outer)) return null;
  const { error, response } = outer;
  if (isJsonObject(error)) return error;
  if (isJsonObject(response)) return findProviderError(response);
  if (typeof error === 'string') return { message: error };
  return typeof outer['message'] === 'string' ? outer : null;
}

function parse(body: unknown): Json {
  try {
    return toJson(typeof body === 'string' ? JSON.parse(body) : body);
  } catch {
    return null;
  }
}

/** HTTP statuses by error name, for errors within an answer, which have no status of their own. */
const STATUS_BY_NAME: ReadonlyMap<Json | undefined, number> = new Map([
  ['api_error', 500],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['context_length_exceeded', 400],
  ['insufficient_quota', 429],
  ['invalid_prompt', 400],
  ['invalid_request_error', 400],
  ['not_found_error', 404],
  ['overloaded_error', 529],
  ['permission_error', 403],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['request_too_large', 413],
  ['server_error', 500],
  ['timeout_error', 504],
]);

/** The HTTP status that an error within an answer corresponds to. */
function statusOf({ code, type }: JsonObject): number {
  const number = Number(code ?? NaN);
  if (number >= 400 && number <= 599) return number;
  return STATUS_BY_NAME.get(code) ?? STATUS_BY_NAME.get(type) ?? 500;
}
