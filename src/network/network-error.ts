/**
 * Why a request has failed before its answer was read.
 *
 * - `blocked`: the guard refuses the address, or a redirect would take a body to another origin; nothing was sent there
 * - `too large`: the answer has more bytes than allowed
 * - `too many redirects`: the redirects seem to have no end
 * - `failed after a redirect`: a redirect has turned the request into a GET, so the server that redirected may have done
 *   the work; `cause` is the failure itself
 */
export type NetworkFailure = 'blocked' | 'too large' | 'too many redirects' | 'failed after a redirect';

/** A failure that this room itself has found. Those of the operating system and of the HTTP client stay what they are. */
export class NetworkError extends Error {
  readonly reason: NetworkFailure;

  constructor(reason: NetworkFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NetworkError';
    this.reason = reason;
  }
}
