import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { RequestInit, Response } from 'undici';
import { CallError } from '../calls/call-error.ts';

/**
 * Sends HTTP requests to public addresses and to allowed private hosts.
 * @param redirectedBy the URL that redirected here; only an allowed host may redirect to an allowed private host
 */
export type GuardedFetch = (url: URL, init: RequestInit, redirectedBy?: URL) => Promise<Response>;

/**
 * Creates a `fetch` that protects the installation's own network. It checks literal addresses in every notation, and
 * resolved ones at connect time, so that a name can't change in between. It does not follow redirects.
 * @param allow private hosts that may be reached, as exact `host:port`
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
  /** Limit of a request without a signal, body included. Calls have a signal with their own time-out. */
  readonly totalMs: number;
}

const DEFAULT_LIMITS: TimeLimits = { connectMs: 10_000, totalMs: 3_600_000 };

/** A model may think longer than the client's default of five minutes. */
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

/** The allocated part of IPv6 (IANA, IPv6 Address Space); it excludes IPv4-compatible addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Addresses in public ranges at which clouds serve their own machines: of Azure (one), of IBM (two ranges). */
const CLOUD_SERVICES = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
);

/** True for public addresses: neither private, loopback, link-local, mapped, reserved nor of a cloud's own services. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' ? !CLOUD_SERVICES.some((range) => parsed.match(range)) : parsed.match(GLOBAL_UNICAST);
}

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

function guardedLookup(hostname: string, options: object, callback: Callback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    // The message leaves the address out: a redirect could otherwise be used to explore internal names.
    if (addresses.some(({ address }) => !isPublic(address)))
      return callback(blocked(`${hostname} leads to an address that is not public`), []);
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
