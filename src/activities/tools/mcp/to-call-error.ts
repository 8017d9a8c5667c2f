import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../../graph/values/index.ts';
import { CallError, REFUSED, TRY_AGAIN, UNCLEAR, TRY_AGAIN_UNDONE } from '../../calls/call-error.ts';
import type { FailureClass } from '../../calls/call-error.ts';
import type { ErrorMeaning } from './server-settings.ts';

/** Classes of protocol errors. The first four mean that the server has not begun the call. */
const BY_CODE: ReadonlyMap<number, FailureClass> = new Map([
  [ErrorCode.ParseError, REFUSED],
  [ErrorCode.InvalidRequest, REFUSED],
  [ErrorCode.MethodNotFound, REFUSED],
  [ErrorCode.UrlElicitationRequired, REFUSED],
  // Servers return this for invalid arguments, but also for a result that their own check refuses after the work.
  [ErrorCode.InvalidParams, UNCLEAR],
  [ErrorCode.InternalError, TRY_AGAIN],
  [ErrorCode.ConnectionClosed, TRY_AGAIN],
  [ErrorCode.RequestTimeout, TRY_AGAIN],
]);

/** Errors that the client side also creates itself, without knowledge of the tool. */
const CLIENT_SIDE_ERRORS: ReadonlySet<number> = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]);

/**
 * Converts an error of a call that was sent.
 * @param errorMeans whether the tool may have done its work when the server returns an error
 */
export function toMcpCallError(thrown: unknown, errorMeans: ErrorMeaning): CallError {
  if (thrown instanceof CallError) return thrown;
  const failureClass = thrown instanceof McpError ? classifyCode(thrown.code, errorMeans) : UNCLEAR;
  return new CallError('TOOL_FAILED', describeFailure(thrown), { ...failureClass, cause: thrown });
}

function classifyCode(code: number, errorMeans: ErrorMeaning): FailureClass {
  const failureClass = BY_CODE.get(code) ?? UNCLEAR;
  return errorMeans === 'perhaps-done' || CLIENT_SIDE_ERRORS.has(code) ? failureClass : { ...failureClass, done: 'no' };
}

/** Converts an error from before a call was sent; the server may be available again soon. */
export function toUnreachableError(thrown: unknown): CallError {
  if (thrown instanceof CallError && thrown.done === 'no') return thrown;
  return new CallError('TOOL_FAILED', `The server can't be reached: ${describeFailure(thrown)}`, {
    retryable: !(thrown instanceof CallError) || thrown.retryable,
    done: 'no',
    retryAfterMs: thrown instanceof CallError ? thrown.retryAfterMs : null,
    cause: thrown,
  });
}

/** The error of a server that can't be called now. */
export function unreachableServer(message: string, retryAfterMs: number | null = null): CallError {
  return new CallError('TOOL_FAILED', message, { ...TRY_AGAIN_UNDONE, retryAfterMs });
}

/** Describes a failure in full: secrets are removed before it is shortened. */
export function describeFailure(thrown: unknown): string {
  // The parser quotes some characters of the text, which may be part of a secret.
  if (thrown instanceof SyntaxError) return 'the answer is no JSON';
  const isZod = thrown instanceof Error && 'issues' in thrown;
  return isZod ? `the answer is not what the protocol allows: ${messageOf(thrown)}` : messageOf(thrown);
}
