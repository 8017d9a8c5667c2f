import { errorChain } from '../../graph/values/index.ts';

/** An error of the operating system, of TLS or of the HTTP client. */
export interface SystemError extends Error {
  readonly code: string;
}

/** Finds the first error with a code among an error and its causes. */
export function systemErrorOf(thrown: unknown): SystemError | null {
  return errorChain(thrown).find(isSystemError) ?? null;
}

function isSystemError(error: Error): error is SystemError {
  return 'code' in error && typeof error.code === 'string';
}

/** True if the callee can't have received anything: there was no connection to it, or it was not the one to talk to. */
export function isUnsent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnsent);
  if (!(error instanceof Error) || !isSystemError(error)) return false;
  return NEVER_SENT.has(error.code) || ('syscall' in error && BEFORE_SENDING.has(error.syscall));
}

/** System calls that are over before anything is sent. Their errors may also end open connections, in other calls. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** Codes of certificates that are not trusted (Node's documentation of `tls`, "X509 certificate error codes"). */
const UNTRUSTED: readonly string[] = [
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
  ...UNTRUSTED,
]);
