import type { Refusal, RefusalCode } from '../graph/run.ts';
import { ApiError } from './errors.ts';
import type { ApiErrorCode } from './errors.ts';

const CODES = {
  NOT_ALLOWED_NOW: 'NOT_ALLOWED_NOW',
  UNKNOWN_APPROVAL: 'UNKNOWN_APPROVAL',
  APPROVAL_ID_REQUIRED: 'APPROVAL_ID_REQUIRED',
  ALREADY_DECIDED: 'ALREADY_DECIDED',
  APPROVAL_EXPIRED: 'APPROVAL_EXPIRED',
  APPROVAL_CANCELED: 'APPROVAL_CANCELED',
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

/** A run's refusal as an answer of the API. */
export function toApiError({ code, message, issues }: Refusal): ApiError {
  return new ApiError(CODES[code], message, issues ? { issues } : {});
}
