import { isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/** Why a provider will not answer however often it is asked; statuses don't tell. */
export type FailureReason = 'insufficient_quota' | 'content_filter' | 'context_length_exceeded';

interface ReasonSigns {
  readonly reason: FailureReason;
  /** What providers name it, as code, type or status. */
  readonly names: readonly string[];
  /** What they write where no name tells. */
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
    words: /content filtering policy|content management policy|violating our usage policy|rejected .*safety system/i,
  },
  {
    reason: 'context_length_exceeded',
    names: ['context_length_exceeded', 'exceed_context_size_error'],
    words:
      /prompt is too long|exceeds? (the )?(context limit|context window|available context size)|maximum context length|input token count.* exceeds/i,
  },
];

const PAYMENT_REQUIRED = 402;
const FORBIDDEN = 403;

/** Recognizes what is for good in an error as a provider tells it. @returns `null` where its status says all */
export function failureReason(status: number, error: JsonObject): FailureReason | null {
  if (status === PAYMENT_REQUIRED) return 'insufficient_quota';
  if (status === FORBIDDEN && isModerated(error)) return 'content_filter';
  const names = namesIn(error);
  const message = typeof error['message'] === 'string' ? error['message'] : '';
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

/** OpenRouter says why it would not pass a prompt on. */
function isModerated({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && isJsonList(metadata['reasons']);
}

/** Google calls limits of a minute a quota, too. Those of a day, and those of nothing at all, are for good. */
function isRateLimit(error: JsonObject): boolean {
  const violations = detailsOf(error).flatMap(({ violations }) => (isJsonList(violations) ? violations : []));
  if (violations.length === 0) return retryDelayIn(error) !== null;
  return !violations.some(
    (violation) =>
      isJsonObject(violation) &&
      (/PerDay/.test(JSON.stringify(violation['quotaId'] ?? '')) || violation['quotaValue'] === '0'),
  );
}

/** When Google wants to be asked again: it says so in the body. @returns milliseconds, or `null` */
export function retryDelayIn(error: JsonObject): number | null {
  const delays = detailsOf(error).flatMap(({ retryDelay }) => (typeof retryDelay === 'string' ? [retryDelay] : []));
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delays[0] ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

function detailsOf({ details }: JsonObject): readonly JsonObject[] {
  return isJsonList(details) ? details.filter(isJsonObject) : [];
}
