/**
 * The reason of a failure before the answer was read:
 *
 * - `blocked`: the guard refuses the address, or a redirect would send a body to another origin; nothing was sent there
 * - `too large`: the answer has more bytes than allowed
 * - `too many redirects`: the redirects probably form a loop
 * - `failed after a redirect`: a redirect has turned the request into a GET, so the redirecting server may have done the
 *   work; `cause` is the failure itself
 */
export type NetworkFailure = 'blocked' | 'too large' | 'too many redirects' | 'failed after a redirect';

/** A failure that the guard or the limits have detected. Errors of the operating system and the HTTP client are unchanged. */
export class NetworkError extends Error {
  readonly reason: NetworkFailure;

  constructor(reason: NetworkFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NetworkError';
    this.reason = reason;
  }
}
