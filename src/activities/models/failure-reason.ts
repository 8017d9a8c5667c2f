import { isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

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

/** In characters. Phrases are looked for so far into a message, which may be as long as its sender likes. */
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
export function retryDelayIn(error: JsonObject): number | null {
  const delays = detailsOf(error).flatMap(({ retryDelay }) => (typeof retryDelay === 'string' ? [retryDelay] : []));
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delays[0] ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

function detailsOf({ details }: JsonObject): readonly JsonObject[] {
  return isJsonList(details) ? details.filter(isJsonObject) : [];
}
