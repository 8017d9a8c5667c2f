import { isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';

/** Reasons that no retry can overcome; the HTTP status does not show them. */
export type FailureReason = 'insufficient_quota' | 'content_filter' | 'context_length_exceeded';

interface ReasonSigns {
  readonly reason: FailureReason;
  /** Codes, types or statuses of providers. */
  readonly names: readonly string[];
  /** Phrases of providers that send no such code: all patterns of one phrase occur in the message. */
  readonly phrases: readonly (readonly RegExp[])[];
}

/** A prompt that exceeds the context, in the words of many providers. */
const TOO_LONG: readonly (readonly RegExp[])[] = [
  [/\b(prompt|inputs?|context|conversation|messages?|sequence)( (is|are|was))? too (long|large)\b/i],
  [
    /\bcontext[ _-](length|window|size|limit)/i,
    /exceed|overflow|greater|longer|larger|too (long|large)|not enough|maximum|\bfull\b|reduce|beyond/i,
  ],
  [/\b(maximum|max) (prompt|input|sequence) length\b/i],
  [/\b(inputs?|prompt|messages)\b/i, /tokens?\b/i, /exceed|must be <=|must have less than/i],
  [/exceed.{0,40}token limit|token limit.{0,40}exceed|too many (input |prompt )?tokens/i],
  [/range of input length|reduce the length of|prompt exceeds max/i],
  [/request body too large/i, /tokens/i],
];

/** Limits of a rate count tokens, too. */
const RATE = /rate.?limit|tokens? per|per (min|hour|day)|\bTPM\b|quota|throttled|throttling|please wait/i;

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
    phrases: [
      [
        /credit balance is too low|specified API usage limits|exceeded your current quota|insufficient (balance|credits)|credits are depleted/i,
      ],
    ],
  },
  {
    reason: 'content_filter',
    names: ['content_filter', 'content_policy_violation', 'ResponsibleAIPolicyViolation', 'invalid_prompt'],
    phrases: [
      [/content filtering policy|content management policy|violating our usage policy|rejected .{0,100}safety system/i],
    ],
  },
  {
    reason: 'context_length_exceeded',
    names: [
      'context_length_exceeded',
      'context_window_exceeded',
      'ContextWindowExceededError',
      'exceed_context_size_error',
      'model_context_window_exceeded',
      'prompt_too_long',
      'tokens_limit_reached',
    ],
    phrases: TOO_LONG,
  },
];

/** In characters. Only this part of a message, which may be very long, is searched for phrases. */
const MAX_SEARCHED_MESSAGE = 2_000;

const PAYMENT_REQUIRED = 402;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;

/** Finds a permanent reason in a provider's error. @returns `null` if the status is enough */
export function failureReason(status: number, error: JsonObject): FailureReason | null {
  if (status === PAYMENT_REQUIRED) return 'insufficient_quota';
  if (status === FORBIDDEN && isModerated(error)) return 'content_filter';
  const names = errorNames(error);
  const found =
    SIGNS.find((signs) => signs.names.some((name) => names.includes(name))) ??
    (status < 500 ? signsInWords(error, status) : undefined);
  if (!found) return null;
  return found.reason === 'insufficient_quota' && isRateLimit(error) ? null : found.reason;
}

/** OpenRouter passes the error of the server behind it in `metadata`. */
function signsInWords({ message, metadata }: JsonObject, status: number): ReasonSigns | undefined {
  const texts = [message, isJsonObject(metadata) ? metadata['raw'] : undefined];
  const text = texts.map((part) => (typeof part === 'string' ? part.slice(0, MAX_SEARCHED_MESSAGE) : '')).join('\n');
  const isOfRate = status === TOO_MANY_REQUESTS || RATE.test(text);
  return SIGNS.filter(({ phrases }) => !(isOfRate && phrases === TOO_LONG)).find(({ phrases }) =>
    phrases.some((patterns) => patterns.every((pattern) => pattern.test(text))),
  );
}

/** Names of failures of a model to write a tool call or an object, which servers report as a wrong request. */
const GENERATION_FAILURES: ReadonlySet<Json | undefined> = new Set([
  'tool_use_failed',
  'json_validate_failed',
  'output_parse_failed',
]);
const GENERATION_FAILURE_PHRASES = /^failed to (call a function|validate json|generate json)/i;

/** True if a model has failed to write what was asked for: another attempt may succeed, whatever the status. */
export function isGenerationFailure(error: JsonObject): boolean {
  const { message = '' } = error;
  return (
    errorNames(error).some((name) => GENERATION_FAILURES.has(name)) ||
    (typeof message === 'string' && GENERATION_FAILURE_PHRASES.test(message))
  );
}

function errorNames(error: JsonObject): readonly (Json | undefined)[] {
  const inner = error['innererror'] ?? error['inner_error'];
  return [error['code'], error['type'], isJsonObject(inner) ? inner['code'] : undefined];
}

/** OpenRouter lists its reasons for refusing a prompt. */
function isModerated({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && isJsonList(metadata['reasons']);
}

/** Google also calls limits per minute a quota. A limit per day, or of zero, is permanent. */
function isRateLimit(error: JsonObject): boolean {
  const violations = errorDetails(error).flatMap(({ violations }) => (isJsonList(violations) ? violations : []));
  if (violations.length === 0) return retryDelayIn(error) !== null;
  return !violations.some(
    (violation) =>
      isJsonObject(violation) &&
      (/PerDay/.test(JSON.stringify(violation['quotaId'] ?? '')) || violation['quotaValue'] === '0'),
  );
}

/** Reads Google's retry delay, which it sends in the body. @returns milliseconds, or `null` */
export function retryDelayIn(error: JsonObject): number | null {
  const delays = errorDetails(error).flatMap(({ retryDelay }) => (typeof retryDelay === 'string' ? [retryDelay] : []));
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delays[0] ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

function errorDetails({ details }: JsonObject): readonly JsonObject[] {
  return isJsonList(details) ? details.filter(isJsonObject) : [];
}

/** HTTP statuses by error name, for errors within an answer, which have no status of their own. */
const STATUS_BY_NAME: ReadonlyMap<Json | undefined, number> = new Map([
  ['AuthenticationError', 401],
  ['BadRequestError', 400],
  ['FAILED_PRECONDITION', 400],
  ['INVALID_ARGUMENT', 400],
  ['NOT_FOUND', 404],
  ['NotFoundError', 404],
  ['PERMISSION_DENIED', 403],
  ['PermissionDeniedError', 403],
  ['UNAUTHENTICATED', 401],
  ['UnprocessableEntityError', 422],
  ['ValidationException', 400],
  ['api_error', 500],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['context_length_exceeded', 400],
  ['insufficient_quota', 429],
  ['invalid_api_key', 401],
  ['invalid_prompt', 400],
  ['invalid_request_error', 400],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['overloaded_error', 529],
  ['permission_error', 403],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['request_too_large', 413],
  ['server_error', 500],
  ['timeout_error', 504],
  ['validation', 422],
]);

/** The HTTP status that an error within an answer corresponds to: its own, that of its name, or that of its words. */
export function errorStatus(error: JsonObject): number {
  const { code, type, status } = error;
  const number = [code, status].map((stated) => Number(stated ?? NaN)).find((stated) => stated >= 400 && stated <= 599);
  const named = [code, type, status].map((name) => STATUS_BY_NAME.get(name)).find((found) => found !== undefined);
  return number ?? named ?? (signsInWords(error, 400) ? 400 : 500);
}
