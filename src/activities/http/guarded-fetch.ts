import { fetch as undiciFetch } from 'undici';
import type { RequestInit, Response } from 'undici';
import { CONNECT_MS, createGuard } from './guard.ts';

/**
 * Sends HTTP requests to public addresses and to allowed private hosts. It does not follow redirects.
 * @param redirectedBy the URL that redirected here; only an allowed host may redirect to an allowed private host
 */
export type GuardedFetch = (url: URL, init: RequestInit, redirectedBy?: URL) => Promise<Response>;

/**
 * Creates a `fetch` behind a guard.
 * @param allow private hosts that may be reached, as exact `host:port`
 */
export function createGuardedFetch(
  allow: readonly string[],
  { connectMs, totalMs }: TimeLimits = DEFAULT_LIMITS,
): GuardedFetch {
  const guard = createGuard(allow, { connectMs });
  return async (url, init, redirectedBy) =>
    await undiciFetch(url, {
      ...init,
      redirect: 'manual',
      dispatcher: guard(url, redirectedBy),
      signal: init.signal ?? AbortSignal.timeout(totalMs),
    });
}

interface TimeLimits {
  readonly connectMs: number;
  /** Limit of a request without a signal, body included. Calls have a signal with their own time-out. */
  readonly totalMs: number;
}

const DEFAULT_LIMITS: TimeLimits = { connectMs: CONNECT_MS, totalMs: 3_600_000 };
