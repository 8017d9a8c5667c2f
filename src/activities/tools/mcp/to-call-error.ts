import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../../graph/values/index.ts';
import { CallError } from '../../calls/call-error.ts';
import { REFUSED, TRY_AGAIN, UNCLEAR } from '../../calls/classify-failure.ts';
import type { FailureClass } from '../../calls/classify-failure.ts';

/** Classes of protocol errors. The first five say that the server has not begun the call. */
const BY_CODE: ReadonlyMap<number, FailureClass> = new Map([
  [ErrorCode.ParseError, REFUSED],
  [ErrorCode.InvalidRequest, REFUSED],
  [ErrorCode.MethodNotFound, REFUSED],
  [ErrorCode.InvalidParams, REFUSED],
  [ErrorCode.UrlElicitationRequired, REFUSED],
  [ErrorCode.InternalError, TRY_AGAIN],
  [ErrorCode.ConnectionClosed, TRY_AGAIN],
  [ErrorCode.RequestTimeout, TRY_AGAIN],
]);

/** Converts an error of a call that was sent. */
export function toCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  const failureClass = thrown instanceof McpError ? (BY_CODE.get(thrown.code) ?? UNCLEAR) : UNCLEAR;
  return new CallError('TOOL_FAILED', describeFailure(thrown), { ...failureClass, cause: thrown });
}

/** Converts an error from before a call was sent; the server may be available again soon. */
export function toUnreachable(thrown: unknown): CallError {
  if (thrown instanceof CallError && thrown.done === 'no') return thrown;
  return new CallError('TOOL_FAILED', `The server can't be reached: ${describeFailure(thrown)}`, {
    retryable: !(thrown instanceof CallError) || thrown.retryable,
    done: 'no',
    retryAfterMs: thrown instanceof CallError ? thrown.retryAfterMs : null,
    cause: thrown,
  });
}

/** The error of a server that can't be called now. */
export function unreachable(message: string, retryAfterMs: number | null = null): CallError {
  return new CallError('TOOL_FAILED', message, { retryable: true, done: 'no', retryAfterMs });
}

/** Describes a failure in full: secrets are removed before it is shortened. */
export function describeFailure(thrown: unknown): string {
  // The parser quotes some characters of the text, which may be part of a secret.
  if (thrown instanceof SyntaxError) return 'the answer is no JSON';
  const isZod = thrown instanceof Error && 'issues' in thrown;
  return isZod ? `the answer is not what the protocol allows: ${messageOf(thrown)}` : messageOf(thrown);
}
