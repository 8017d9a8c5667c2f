import type { Problem } from './answers.ts';
import { HoldfastError } from './holdfast-error.ts';

/** An answer of the API, read to its end. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Reads the JSON of an answer. Its type is the route's, which the API makes from the same schema. */
export function readAnswer<T>(heard: Heard): T;
export function readAnswer({ status, text }: Heard): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: `${status} with no JSON`, status, cause });
  }
}

/** Makes an error of an answer that is no success. @param now milliseconds since the epoch */
export function readProblem({ status, headers, text }: Heard, now: number): HoldfastError {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  if (!isProblem)
    return new HoldfastError({
      code: 'UNEXPECTED_ANSWER',
      detail: `${status} with no problem document`,
      status,
      retryAfterMs,
    });
  const { code, detail, issues, mayTakeEffect } = readAnswer<ApiProblem>({ status, headers, text });
  return new HoldfastError({ code, detail, status, issues, mayTakeEffect, retryAfterMs });
}

type ApiProblem = Problem & Pick<HoldfastError, 'code'>;

/** Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. @returns milliseconds */
function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
