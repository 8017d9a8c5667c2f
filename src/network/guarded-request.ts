import { pipeline } from 'node:stream';
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { request, fetch as undiciFetch } from 'undici';
import type { RequestInit, Response } from 'undici';
import { createGuard, CONNECT_MS } from './guard.ts';
import type { GuardOptions } from './guard.ts';
import { readBytes, readChunks } from './read-body.ts';

/** An HTTP request; header names are in lower case. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
}

/** The response to a request. Its body must be read or discarded. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** @throws NetworkError `too large` */
  readText(): Promise<string>;
  /** @throws NetworkError `too large` */
  readBytes(maxBytes: number): Promise<Uint8Array>;
  /** Closes the connection without reading the body. */
  discard(): void;
}

/**
 * Sends one request to a public address or an allowed private host. It does not follow redirects.
 * @param redirectedBy the URL that redirected here; only an allowed host may redirect to an allowed private host
 * @throws NetworkError `blocked`; errors of the HTTP client
 */
export type GuardedRequest = (request: HttpRequest, redirectedBy?: URL) => Promise<HttpResponse>;

/**
 * Creates a function that sends requests through a guard. A request takes a third of the processor time of `fetch`, which
 * wraps bodies and signals in Web API objects.
 * @param allow the private hosts that are allowed, as exact `host:port`
 * @param options the remedy that errors name
 */
export function createGuardedRequest(
  allow: readonly string[],
  options: Pick<GuardOptions, 'remedy'> = {},
): GuardedRequest {
  const guard = createGuard(allow, options);
  return async ({ url, method, headers, body, signal }, redirectedBy) => {
    const dispatcher = guard(url, redirectedBy);
    const sent = { method, headers: { ...DEFAULT_HEADERS, ...headers }, body, signal, dispatcher };
    const response = await request(url, sent);
    const headerOf = (name: string): string | null => joinHeaderValues(response.headers[name]);
    return {
      status: response.statusCode,
      headers: { get: headerOf },
      readText: async () =>
        await readChunks(decompressBody(response.body, headerOf('content-encoding')), headerOf('content-type')),
      readBytes: async (maxBytes) =>
        await readBytes(decompressBody(response.body, headerOf('content-encoding')), maxBytes),
      discard: () => void response.body.on('error', () => undefined).destroy(),
    };
  };
}

const DEFAULT_HEADERS = { 'user-agent': 'holdfast', 'accept-encoding': 'gzip' };

function joinHeaderValues(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** Options for reading an incomplete body up to its end. */
const PARTIAL = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const PARTIAL_BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(PARTIAL)],
  ['x-gzip', () => createGunzip(PARTIAL)],
  ['deflate', () => createInflate(PARTIAL)],
  ['br', () => createBrotliDecompress(PARTIAL_BROTLI)],
]);

/** The most nested codings, as in `fetch`. */
const MAX_CODINGS = 5;

/** Decompresses a body. A body with an unknown coding, or with too many, is unchanged. */
function decompressBody(body: Readable, encoding: string | null): Readable {
  if (encoding === null) return body;
  const codings = encoding.split(',').map((coding) => coding.trim().toLowerCase());
  const decoders = codings.flatMap((coding) => DECODERS.get(coding) ?? []);
  if (decoders.length < codings.length || codings.length > MAX_CODINGS) return body;
  return decoders.reduceRight<Readable>((from, open) => pipeline(from, open(), () => undefined), body);
}

/**
 * Sends HTTP requests to public addresses and to allowed private hosts. It does not follow redirects.
 * @param redirectedBy the URL that redirected here; only an allowed host may redirect to an allowed private host
 * @throws NetworkError `blocked`; errors of `fetch`, whose causes may be such errors
 */
export type GuardedFetch = (url: URL, init: RequestInit, redirectedBy?: URL) => Promise<Response>;

/**
 * Creates a `fetch` with a guard.
 * @param allow the private hosts that are allowed, as exact `host:port`
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
  /** The limit of a request without a signal, including the body. Calls have a signal with their own time-out. */
  readonly totalMs: number;
}

const DEFAULT_LIMITS: TimeLimits = { connectMs: CONNECT_MS, totalMs: 3_600_000 };
