import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { NetworkError } from './network-error.ts';

/**
 * Protects the installation's own network from URLs that others have chosen.
 * @param redirectedBy the URL that redirected here; only an allowed host may redirect to an allowed private host
 * @returns the dispatcher for a request to the URL
 * @throws NetworkError `blocked`
 */
export type AddressGuard = (url: URL, redirectedBy?: URL) => Dispatcher;

/** The default time-out of a connection. */
export const CONNECT_MS = 10_000;

export interface GuardOptions {
  /** The time-out of a connection, in milliseconds. */
  readonly connectMs?: number;
  /** The sentence in errors that names the setting for `allow`. */
  readonly remedy?: string;
}

const REMEDY_OF_TOOLS = "The configuration's http.allow may name hosts and ports that tools reach all the same";

const NO_REMEDY = 'No setting allows it';

/**
 * Creates a guard that accepts public addresses and allowed private hosts. It checks literal addresses in every notation,
 * and resolved ones when the connection is opened, so that a name can't change in between.
 * @param allow the private hosts that are allowed, as exact `host:port`
 */
export function createGuard(
  allow: readonly string[],
  { connectMs = CONNECT_MS, remedy = REMEDY_OF_TOOLS }: GuardOptions = {},
): AddressGuard {
  const allowed = new Set(allow);
  const lookupPublic = guardedLookup(remedy);
  const guarded = new Agent({ ...NO_RESPONSE_TIMEOUTS, connect: { lookup: lookupPublic, timeout: connectMs } });
  const open = new Agent({ ...NO_RESPONSE_TIMEOUTS, connect: { timeout: connectMs } });
  const isAllowedHost = (url: URL): boolean => allowed.has(`${url.hostname}:${portOfUrl(url)}`);
  return (url, redirectedBy) => {
    const isAllowed = isAllowedHost(url) && (!redirectedBy || isAllowedHost(redirectedBy));
    const unsafe = unsafeReason(url);
    if (unsafe !== null) throw blockedAddressError(unsafe, NO_REMEDY);
    const reason = isAllowed ? null : privateReason(url);
    if (reason !== null) throw blockedAddressError(reason, remedy);
    return isAllowed ? open : guarded;
  };
}

/** Responses have no time-out here, because a model may take longer than the client's default of five minutes. */
const NO_RESPONSE_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

function portOfUrl({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}

function unsafeReason(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol} is neither http nor https`;
  if (BLOCKED_PORTS.has(url.port)) return `port ${url.port} is one of another protocol`;
  return url.username !== '' || url.password !== '' ? 'it holds credentials' : null;
}

/** Ports of other protocols, whose servers might misinterpret a request (Fetch standard, "port blocking"). */
const BLOCKED_PORTS: ReadonlySet<string> = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 ' +
    '139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 ' +
    '1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

function privateReason(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isPublic(host) ? `${url.host} is no public address` : null;
}

/** The allocated part of IPv6 (IANA, IPv6 Address Space); it excludes IPv4-compatible addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Addresses in public ranges that clouds use for internal services: one of Azure, and two ranges of IBM. */
const CLOUD_SERVICES = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
);

/** True for public addresses: not private, loopback, link-local, mapped or reserved, and not internal to a cloud. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' ? !CLOUD_SERVICES.some((range) => parsed.match(range)) : parsed.match(GLOBAL_UNICAST);
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

function guardedLookup(remedy: string) {
  return (hostname: string, options: object, callback: LookupCallback): void =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      // The message omits the address; otherwise, redirects could be used to explore internal names.
      if (addresses.some(({ address }) => !isPublic(address)))
        return callback(blockedAddressError(`${hostname} leads to an address that is not public`, remedy), []);
      if ('all' in options && options.all === true) return callback(null, addresses);
      const [first] = addresses;
      return first
        ? callback(null, first.address, first.family)
        : callback(blockedAddressError(`${hostname} leads nowhere`, remedy), []);
    });
}

function blockedAddressError(why: string, remedy: string): NetworkError {
  return new NetworkError('blocked', `The URL is blocked: ${why}. ${remedy}`);
}
