import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { RequestInit, Response } from 'undici';
import { CallError } from '../calls/call-error.ts';

/**
 * Makes HTTP requests to public addresses, and to the private ones that the installation allows.
 * @param sentBy the place that has named this one by a redirect: only an allowed private host leads to another one
 */
export type GuardedFetch = (url: URL, init: RequestInit, redirectedBy?: URL) => Promise<Response>;

/**
 * Makes a `fetch` that no definition can turn against the installation's own network: literal addresses are checked in
 * every notation, resolved ones each at connect time (so that a name can't change in between). Redirects are not
 * followed; who follows one comes back here.
 * @param allow private hosts that may be reached all the same, as exact `host:port`
 */
export function createGuardedFetch(
  allow: readonly string[],
  { connectMs, totalMs }: TimeLimits = DEFAULT_LIMITS,
): GuardedFetch {
  const allowed = new Set(allow);
  const guarded = new Agent({ ...NO_RESPONSE_TIMEOUTS, connect: { lookup: guardedLookup, timeout: connectMs } });
  const open = new Agent({ ...NO_RESPONSE_TIMEOUTS, connect: { timeout: connectMs } });
  const isListed = (url: URL): boolean => allowed.has(`${url.hostname}:${portOf(url)}`);
  return async (url, init, redirectedBy) => {
    refuseUnsafe(url);
    const isAllowed = isListed(url) && (!redirectedBy || isListed(redirectedBy));
    if (!isAllowed) refusePrivate(url);
    return await undiciFetch(url, {
      ...init,
      redirect: 'manual',
      dispatcher: isAllowed ? open : guarded,
      signal: init.signal ?? AbortSignal.timeout(totalMs),
    });
  };
}

interface TimeLimits {
  readonly connectMs: number;
  /** For a whole request, its answer's body included, that has no signal. Calls have one, with their own time-out. */
  readonly totalMs: number;
}

const DEFAULT_LIMITS: TimeLimits = { connectMs: 10_000, totalMs: 3_600_000 };

/** A model may think for longer than the five minutes that the client would wait. */
const NO_RESPONSE_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

function portOf({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}

function refuseUnsafe(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blocked(`${url.protocol} is neither http nor https`);
  if (url.username !== '' || url.password !== '') throw blocked('it holds credentials');
}

function refusePrivate(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) throw blocked(`${url.host} is no public address`);
}

/** All of IPv6 that is given to anybody so far (IANA, IPv6 Address Space); IPv4-compatible addresses are not in it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for addresses that anybody may reach: neither private, loopback, link-local, mapped nor reserved. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST));
}

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

function guardedLookup(hostname: string, options: object, callback: Callback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const bad = addresses.find(({ address }) => !isPublic(address));
    if (bad) return callback(blocked(`${hostname} leads to ${bad.address}, which is no public address`), []);
    if ('all' in options && options.all === true) return callback(null, addresses);
    const [first] = addresses;
    return first ? callback(null, first.address, first.family) : callback(blocked(`${hostname} leads nowhere`), []);
  });
}

function blocked(reason: string): CallError {
  return new CallError(
    'BLOCKED_URL',
    `The URL is blocked: ${reason}. The configuration's http.allow may name hosts and ports that tools reach all the same`,
    {
      retryable: false,
      done: 'no',
    },
  );
}
