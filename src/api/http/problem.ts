import { STATUS_BY_CODE } from './errors.ts';
import type { ApiError, ApiErrorCode, ApiIssue } from './errors.ts';

/** The body of every error (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly detail: string;
  readonly instance: string;
  readonly issues?: readonly ApiIssue[];
}

/** @param instance the path of the request */
function toProblem({ code, message, issues }: ApiError, instance: string): Problem {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return {
    type: `urn:holdfast:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status: STATUS_BY_CODE[code],
    code,
    detail: message,
    instance,
    ...(issues.length > 0 && { issues }),
  };
}

export function problemResponse(error: ApiError, instance: string): Response {
  return new Response(JSON.stringify(toProblem(error, instance)), {
    status: STATUS_BY_CODE[error.code],
    headers: { 'content-type': 'application/problem+json', ...error.headers },
  });
}
