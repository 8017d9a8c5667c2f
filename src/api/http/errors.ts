import type { Refusal, RefusalCode } from '../../graph/run/index.ts';
import { abbreviate, boundIssues, MAX_MESSAGE } from '../../graph/values/index.ts';
import { RETRY_LATER } from '../../process/problem.ts';

/** All error codes of the API with their HTTP statuses. */
export const STATUS_BY_CODE = {
  MALFORMED_JSON: 400,
  INVALID_CURSOR: 400,
  INVALID_EVENT_ID: 400,
  INVALID_IDEMPOTENCY_KEY: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  TENANT_SUSPENDED: 403,
  SWITCHED_OFF: 403,
  NOT_AN_APPROVER: 403,
  NOT_FOUND: 404,
  UNKNOWN_GRAPH: 404,
  UNKNOWN_RUN: 404,
  UNKNOWN_CHECKPOINT: 404,
  UNKNOWN_THREAD: 404,
  UNKNOWN_APPROVAL: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ALLOWED_NOW: 409,
  THREAD_BUSY: 409,
  ALREADY_DECIDED: 409,
  APPROVAL_CANCELED: 409,
  BUFFER_FULL: 409,
  TOO_MANY_KEPT: 409,
  REQUEST_IN_PROGRESS: 409,
  APPROVAL_EXPIRED: 410,
  STALE: 412,
  APPROVAL_CHANGED: 412,
  BODY_TOO_LARGE: 413,
  GRAPH_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID_REQUEST: 422,
  INVALID_GRAPH: 422,
  INVALID_INPUT: 422,
  MISSING_INPUT: 422,
  INVALID_ARGS: 422,
  INVALID_VALUES: 422,
  LIMIT_TOO_LOOSE: 422,
  REASON_REQUIRED: 422,
  APPROVAL_ID_REQUIRED: 422,
  UNKNOWN_INTERVENTION: 422,
  INTERVENTION_ID_REQUIRED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  TOO_EXPENSIVE: 422,
  PRECONDITION_REQUIRED: 428,
  TOO_MANY_REQUESTS: 429,
  TOO_SOON: 429,
  QUOTA_REACHED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ApiErrorCode = keyof typeof STATUS_BY_CODE;

/** One invalid part of a request; `path` is a JSON Pointer. */
export interface ApiIssue {
  readonly path: string;
  readonly message: string;
  readonly code?: string;
  readonly severity?: string;
  readonly hint?: string;
}

/** A request that can't be served, answered as a problem document (RFC 9457). Quoted values are truncated. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly issues: readonly ApiIssue[];
  readonly headers: Readonly<Record<string, string>>;
  /** True when the request was passed on and may take effect although it has failed. */
  readonly mayTakeEffect: boolean;

  constructor(code: ApiErrorCode, detail: string, extras: ApiErrorExtras = {}) {
    const { issues = [], headers = {}, mayTakeEffect = false, cause } = extras;
    super(abbreviate(detail, MAX_MESSAGE), { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = STATUS_BY_CODE[code];
    this.issues = boundIssues(issues);
    this.headers = headers;
    this.mayTakeEffect = mayTakeEffect;
  }
}

interface ApiErrorExtras {
  readonly issues?: readonly ApiIssue[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly mayTakeEffect?: boolean;
  readonly cause?: unknown;
}

export function unavailable(what: string, cause?: unknown): ApiError {
  return unavailableNow(`${what} can't be reached at the moment; the request may be sent again`, cause);
}

export function unavailableNow(detail: string, cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', detail, { headers: RETRY_LATER, cause });
}

/** Like `notNow`, but for a request that was passed on and may take effect. */
export function effectUnknown(detail: string, cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', detail, { headers: RETRY_LATER, mayTakeEffect: true, cause });
}

/** Refuses a request that may be sent again after some seconds. */
export function retryAfter(seconds: number, code: ApiErrorCode, detail: string): ApiError {
  return new ApiError(code, detail, { headers: { 'retry-after': String(seconds) } });
}

/** Refuses a request because of one of its fields. @param path the JSON Pointer of the field */
export function invalidField(path: string, message: string): ApiError {
  return new ApiError('INVALID_REQUEST', message, { issues: [{ path, message }] });
}

/** @param allowed the methods that the path supports */
export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  const allow = allowed.join(', ');
  return new ApiError('METHOD_NOT_ALLOWED', `${method} is not allowed here; ${allow} is`, { headers: { allow } });
}

const CODES = {
  NOT_ALLOWED_NOW: 'NOT_ALLOWED_NOW',
  UNKNOWN_APPROVAL: 'UNKNOWN_APPROVAL',
  APPROVAL_ID_REQUIRED: 'APPROVAL_ID_REQUIRED',
  ALREADY_DECIDED: 'ALREADY_DECIDED',
  APPROVAL_EXPIRED: 'APPROVAL_EXPIRED',
  APPROVAL_CANCELED: 'APPROVAL_CANCELED',
  APPROVAL_CHANGED: 'APPROVAL_CHANGED',
  NOT_AN_APPROVER: 'NOT_AN_APPROVER',
  REASON_REQUIRED: 'REASON_REQUIRED',
  INVALID_ARGS: 'INVALID_ARGS',
  INVALID_VALUES: 'INVALID_VALUES',
  UNKNOWN_INTERVENTION: 'UNKNOWN_INTERVENTION',
  INTERVENTION_ID_REQUIRED: 'INTERVENTION_ID_REQUIRED',
  BUFFER_FULL: 'BUFFER_FULL',
  STALE: 'STALE',
  LIMIT_TOO_LOOSE: 'LIMIT_TOO_LOOSE',
  UNKNOWN_SIGNAL: 'INVALID_REQUEST',
  MALFORMED: 'INVALID_REQUEST',
} as const satisfies Record<RefusalCode, ApiErrorCode>;

/** Maps a run's refusal to an API error. */
export function toApiError({ code, message, issues }: Refusal): ApiError {
  return new ApiError(CODES[code], message, issues ? { issues } : {});
}
