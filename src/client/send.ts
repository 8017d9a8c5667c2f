import { HoldfastError, withIdempotencyKey } from './holdfast-error.ts';
import type { Problem } from './answers.ts';
import { readRetryAfter } from '../network/retry-after.ts';

/** The address of the API and the credentials of the caller. */
export interface ClientOptions {
  /** For example `https://holdfast.example`; it may have a path. */
  readonly baseUrl: string;
  /** A bearer token, or a function that returns one for each attempt. */
  readonly token: string | (() => string | Promise<string>);
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The maximum number of attempts of a request, 6 by default. */
  readonly attempts?: number;
}

/** Options of each call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the new key of each call. The same key returns the first response again, also to another process. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a call whose key may have been used before. */
export interface KeyedOptions extends CallOptions {
  /** False if no call has used the key before; true by default if there is a key. */
  readonly isKnownKey?: boolean;
}

type QueryValue = string | number | boolean;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With a leading slash, and encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Replaces a JSON body. */
  readonly file?: Blob | Uint8Array<ArrayBuffer>;
}

/** A response with its entity tag. */
export interface WithEtag {
  readonly etag: string;
}

/**
 * Sends requests and retries transient failures. All requests but GET have an idempotency key, which is the same in
 * each attempt.
 * @throws HoldfastError
 */
export interface Send {
  /** Returns the JSON of the response. */
  json<T>(request: ApiRequest, options?: KeyedOptions): Promise<T>;
  /** Returns the JSON of the response with its entity tag. */
  tagged<T>(request: ApiRequest, options?: CallOptions): Promise<T & WithEtag>;
  /** Returns the complete response. */
  response(request: ApiRequest, options?: CallOptions): Promise<ApiResponse>;
  /** Returns the bytes of the response with their media type. */
  file(request: ApiRequest, options?: CallOptions): Promise<Blob>;
  /** Returns the body of the response as a stream. */
  stream(request: ApiRequest, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

export const ATTEMPTS = 6;

export function createSend(options: ClientOptions, timing: Timing): Send {
  const sent = async <T>(read: SendingRequest<T>['read'], request: ApiRequest, call?: KeyedOptions): Promise<T> =>
    await sendUntil({ options, timing, read }, request, call);
  return {
    json: async <T>(request: ApiRequest, call?: KeyedOptions) => await sent(readJson<T>, request, call),
    tagged: async <T>(request: ApiRequest, call?: CallOptions) => await sent(readTagged<T>, request, call),
    response: async (request, call) => await sent(readResponse, request, call),
    file: async (request, call) => await sent(readFile, request, call),
    stream: async (request, call) => await sent(openEventStream, request, call),
  };
}

interface SendingRequest<T> {
  readonly options: ClientOptions;
  readonly timing: Timing;
  /** Reads a successful response. */
  readonly read: (response: Response) => Promise<T>;
}

async function sendUntil<T>(
  sending: SendingRequest<T>,
  request: ApiRequest,
  { signal, ...given }: KeyedOptions = {},
): Promise<T> {
  const { options, timing } = sending;
  const { attempts = ATTEMPTS } = options;
  const url = toRequestUrl(options.baseUrl, request);
  const { key, isKnown } = idempotencyKeyOf(given);
  let mayTakeEffect = isKnown;
  for (let attempt = 1; ; attempt += 1) {
    const init = { ...(await toRequestInit(options, request, key)), ...(signal && { signal }) };
    const answer = await attemptOnce(sending, url, init);
    if ('success' in answer) return answer.success;
    const { error } = answer;
    mayTakeEffect = mayBeExecuted(request.method, error, mayTakeEffect);
    const delayMs = attempt < attempts ? retryDelay(error, attempt, timing.random()) : null;
    if (delayMs === null) throw request.method === 'GET' ? error : withIdempotencyKey(key, error, mayTakeEffect);
    await timing.sleep(delayMs, signal);
  }
}

function idempotencyKeyOf({ idempotencyKey: given, isKnownKey: isKnown = given !== undefined }: KeyedOptions) {
  return { key: given ?? crypto.randomUUID(), isKnown };
}

/** Reads a response to its end. */
async function readResponse(response: Response): Promise<ApiResponse> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function readJson<T>(response: Response): Promise<T> {
  return readAnswer<T>(await readResponse(response));
}

async function readTagged<T>(response: Response): Promise<T & WithEtag> {
  return { ...(await readJson<T>(response)), etag: response.headers.get('etag') ?? '' };
}

const readFile = async (response: Response): Promise<Blob> => await response.blob();

/** @throws HoldfastError if the response is no event stream */
async function openEventStream({ status, headers, body }: Response): Promise<ReadableStream<Uint8Array>> {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body;
  throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: `${status} with no stream of events`, status });
}

function toRequestUrl(baseUrl: string, { path, query = {} }: ApiRequest): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value = []] of Object.entries(query))
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  return url.href;
}

async function toRequestInit({ token }: ClientOptions, request: ApiRequest, key: string): Promise<RequestInit> {
  const { method, body, file } = request;
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
  if (method !== 'GET') headers.set('idempotency-key', key);
  if (file !== undefined) return { method, headers, body: file };
  if (body === undefined) return { method, headers };
  headers.set('content-type', 'application/json');
  return { method, headers, body: JSON.stringify(body) };
}

type AttemptOutcome<T> = { readonly success: T } | { readonly error: HoldfastError };

/** @throws the reason of the signal */
async function attemptOnce<T>(
  { options, timing, read }: SendingRequest<T>,
  url: string,
  init: RequestInit,
): Promise<AttemptOutcome<T>> {
  try {
    const response = await (options.fetch ? options.fetch(url, init) : fetch(url, init));
    if (response.ok) return { success: await read(response) };
    return { error: readProblem(await readResponse(response), timing.now()) };
  } catch (cause) {
    init.signal?.throwIfAborted();
    if (cause instanceof HoldfastError) return { error: cause };
    const detail = `${new URL(options.baseUrl).origin} can't be reached: ${causeOfFetchError(cause)}`;
    return { error: new HoldfastError({ code: 'UNREACHABLE', detail, cause }) };
  }
}

/** Node's `fetch` puts the reason of a failure into the cause of its error. */
function causeOfFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}

/** Refusals because of the caller or of load: the API sends them before it looks up the key. */
const REFUSED_BEFORE_KEY: ReadonlySet<number | null> = new Set([401, 403, 429]);

/**
 * Returns whether a request may have been executed after a failed attempt.
 * @param before true if an earlier attempt with the key may have been; a refusal settles this where the API looks up
 * the key
 */
function mayBeExecuted(method: string, error: HoldfastError, before: boolean): boolean {
  if (method === 'GET') return false;
  if (wasNeverSent(error)) return before;
  if (!isRefusedRequest(error)) return true;
  // The response of a deletion is not stored: after a successful one, the next attempt gets 404.
  return before && (method === 'DELETE' || REFUSED_BEFORE_KEY.has(error.status));
}

/** True if no connection was opened, so that the request can't have arrived. */
function wasNeverSent({ cause }: HoldfastError): boolean {
  const reason = cause instanceof Error ? cause.cause : undefined;
  return reason instanceof Error && 'code' in reason && CODES_WITHOUT_CONNECTION.has(reason.code);
}

/** Codes of Node and of its `fetch`: refused, no such host, and no answer to the attempt to connect. */
const CODES_WITHOUT_CONNECTION: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Refused requests have changed nothing. Any other failed request may have been executed, or may be in progress. */
function isRefusedRequest({ status, code, mayTakeEffect }: HoldfastError): boolean {
  if (status === null || mayTakeEffect || code === 'REQUEST_IN_PROGRESS') return false;
  return status >= 400 && status < 500;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Statuses of the API or of a proxy in front of it after which the same request may succeed. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The delay before the next attempt in milliseconds: the one that the API states, or exponential backoff.
 * @param attempt the number of the failed attempt, from 1
 * @param random from 0 to 1; spreads the requests of many clients
 * @returns `null` if another attempt would fail in the same way, or would be too late
 */
function retryDelay(error: HoldfastError, attempt: number, random: number): number | null {
  if (!isTransient(error)) return null;
  const { retryAfterMs } = error;
  if (retryAfterMs !== null) return retryAfterMs > LONGEST_MS ? null : retryAfterMs + random * FIRST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
}

function isTransient({ code, status }: HoldfastError): boolean {
  return (
    code === 'UNREACHABLE' || code === 'REQUEST_IN_PROGRESS' || (status !== null && TRANSIENT_STATUSES.has(status))
  );
}

/** A response of the API, read to its end. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Parses the JSON of a response. Its type is that of the route, whose schema the API uses as well. */
function readAnswer<T>(response: ApiResponse): T;
function readAnswer({ status, text }: ApiResponse): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: `${status} with no JSON`, status, cause });
  }
}

/** Converts an unsuccessful response to an error. @param now milliseconds since the epoch */
function readProblem({ status, headers, text }: ApiResponse, now: number): HoldfastError {
  const retryAfterMs = readRetryAfter(headers, now);
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  if (!isProblem)
    return new HoldfastError({
      code: 'UNEXPECTED_ANSWER',
      detail: `${status} with no problem document`,
      status,
      retryAfterMs,
    });
  const { code, detail, issues, mayTakeEffect } = readAnswer<ApiProblem>({ status, headers, text });
  return new HoldfastError({ code, detail, status, issues, mayTakeEffect, retryAfterMs });
}

type ApiProblem = Problem & Pick<HoldfastError, 'code'>;

/** What every group of client methods uses: how requests are sent, and their delays. */
export interface Connection {
  readonly send: Send;
  readonly timing: Timing;
}

/** The clock and random source of a client; tests replace them. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** @throws the reason of the signal if it aborts */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const REAL_TIMING: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    let stop = (): void => {};
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', stop);
    });
    signal?.removeEventListener('abort', stop);
    signal?.throwIfAborted();
  },
};
