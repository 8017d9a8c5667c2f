import { messageOf, errorChain } from '../../graph/values/index.ts';
import type { RunErrorCode } from '../../graph/values/index.ts';
import { NetworkError } from '../../network/network-error.ts';
import type { NetworkFailure } from '../../network/network-error.ts';
import { readRetryAfter } from '../../network/retry-after.ts';
import { CallError, REFUSED, TRY_AGAIN, TRY_AGAIN_UNDONE, UNCLEAR } from './call-error.ts';
import type { FailureClass } from './call-error.ts';
import { userStackOf } from './user-stack.ts';

/*
 * The one table of failures of models and tools: which ones to retry, and whether the callee may have done the work
 * (docs/models.md, docs/guarantees.md).
 */

const BY_STATUS: ReadonlyMap<number, FailureClass> = new Map([
  [408, TRY_AGAIN_UNDONE],
  [425, TRY_AGAIN_UNDONE],
  [429, TRY_AGAIN_UNDONE],
]);

/** 409 from a model is a lock that will be released; from a tool it is an answer. */
const BY_STATUS_OF_MODELS: ReadonlyMap<number, FailureClass> = new Map([...BY_STATUS, [409, TRY_AGAIN]]);

function classifyStatus(status: number, callee: 'model' | 'tool'): FailureClass {
  const table = callee === 'model' ? BY_STATUS_OF_MODELS : BY_STATUS;
  return table.get(status) ?? (status >= 500 ? TRY_AGAIN : status >= 400 ? REFUSED : UNCLEAR);
}

export interface HttpFailure {
  readonly code: RunErrorCode;
  readonly callee: 'model' | 'tool';
  readonly message: string;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A reason that makes a retry useless at any status; `null` if there is none. */
  readonly reason?: string | null;
  /** Delay before a retry that the body asks for; headers take precedence. */
  readonly retryAfterMs?: number | null;
}

/**
 * Converts an unsuccessful response. A reason takes precedence over a model's `x-should-retry` header, which takes
 * precedence over the status. No header makes an `unsafe` tool call repeat.
 */
export function fromStatus(failure: HttpFailure): CallError {
  const { code, callee, message, status, headers, reason = null, retryAfterMs = null } = failure;
  const failureClass = reason === null ? classifyStatus(status, callee) : REFUSED;
  const shouldRetry = callee === 'model' && reason === null ? headers.get('x-should-retry') : null;
  return new CallError(code, message, {
    retryable: shouldRetry === null ? failureClass.retryable : shouldRetry === 'true',
    done: failureClass.done,
    retryAfterMs: readRetryAfter(headers, Date.now()) ?? retryAfterMs,
    reason,
  });
}

/** The HTTP client refuses the request itself, before it connects. Its message names no value. */
const NOT_SENDABLE = 'UND_ERR_INVALID_ARG';

/** The classes of network failures; `null` leaves the code to the caller. */
const BY_NETWORK_FAILURE: Readonly<
  Record<Exclude<NetworkFailure, 'failed after a redirect'>, readonly [RunErrorCode | null, FailureClass]>
> = {
  blocked: ['BLOCKED_URL', REFUSED],
  'too large': ['PAYLOAD_TOO_LARGE', UNCLEAR],
  'too many redirects': [null, REFUSED],
};

/**
 * Finds a failure that is already classified among an error and its causes: HTTP clients and adapters wrap errors.
 * @param code the code of a failure that has none
 */
export function findClassified(code: RunErrorCode, thrown: unknown): CallError | null {
  for (const error of errorChain(thrown)) {
    if (error instanceof CallError) return error;
    if (error instanceof NetworkError) return classifyNetwork(code, error);
  }
  return null;
}

function classifyNetwork(code: RunErrorCode, { reason, message, cause }: NetworkError): CallError {
  if (reason === 'failed after a redirect') return fromNetwork(code, cause).perhapsDone();
  const [ownCode, failureClass] = BY_NETWORK_FAILURE[reason];
  return new CallError(ownCode ?? code, message, failureClass);
}

/** Converts an error of a request that broke before its response was read. */
export function fromNetwork(code: RunErrorCode, thrown: unknown): CallError {
  const classified = findClassified(code, thrown);
  if (classified) return classified;
  const error = systemErrorOf(thrown);
  if (error?.code === NOT_SENDABLE)
    return new CallError(code, `The request can't be sent: ${error.message}`, { ...REFUSED, cause: thrown });
  const failureClass = isUnsentRequest(error) ? TRY_AGAIN_UNDONE : TRY_AGAIN;
  const message = `The connection failed: ${error?.code ?? messageOf(thrown)}`;
  return new CallError(code, message, { ...failureClass, cause: thrown });
}

/**
 * Converts an error of configured code: the work may be done, and a retry may succeed unless the code itself is wrong.
 * The error keeps the stack of that code.
 */
export function fromCode(code: RunErrorCode, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  const [retryable, thrownAt] = [!isProgrammingError(thrown), userStackOf(thrown)];
  return new CallError(code, messageOf(thrown), { retryable, done: 'perhaps', thrownAt, cause: thrown });
}

const MISTAKES: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'SyntaxError']);

/** True if the same code would throw the same error again. A `TypeError` of `fetch` is a failure of the network. */
export function isProgrammingError(thrown: unknown): boolean {
  return thrown instanceof Error && MISTAKES.has(thrown.name) && systemErrorOf(thrown.cause) === null;
}

/** An error of the operating system, of TLS or of the HTTP client. */
export interface SystemError extends Error {
  readonly code: string;
}

/** Finds the first error with a code among an error and its causes. */
function systemErrorOf(thrown: unknown): SystemError | null {
  return errorChain(thrown).find(isSystemError) ?? null;
}

function isSystemError(error: Error): error is SystemError {
  return 'code' in error && typeof error.code === 'string';
}

/** True if the callee can't have received anything: there was no connection to it, or its certificate was not trusted. */
function isUnsentRequest(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnsentRequest);
  if (!(error instanceof Error) || !isSystemError(error)) return false;
  return NEVER_SENT.has(error.code) || ('syscall' in error && BEFORE_SENDING.has(error.syscall));
}

/** System calls that are over before anything is sent. Their errors may also end open connections, in other calls. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** Codes of certificates that are not trusted (Node's documentation of `tls`, "X509 certificate error codes"). */
const UNTRUSTED_CERTIFICATE_CODES: readonly string[] = [
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const NEVER_SENT: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  ...UNTRUSTED_CERTIFICATE_CODES,
]);
