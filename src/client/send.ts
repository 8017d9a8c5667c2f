import { sentUnder } from './sent-under.ts';
import { HoldfastError } from './holdfast-error.ts';
import type { Timing } from './timing.ts';
import type { Problem } from './answers.ts';

/** Where the API is, and who asks. */
export interface ClientOptions {
  /** Such as `https://holdfast.example`; it may have a path. */
  readonly baseUrl: string;
  /** A bearer token, or a function that gives one for each attempt. */
  readonly token: string | (() => string | Promise<string>);
  /** Instead of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How often a request is sent at most, 6 by default. */
  readonly attempts?: number;
}

/** Options of each call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of a new key for each call. The same key gives the first answer again, also to another process. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a call whose key is known before. */
export interface KeyedOptions extends CallOptions {
  /** False: no call had the key before; true unless it says so, where there is a key. */
  readonly isKnownKey?: boolean;
}

type QueryValue = string | number | boolean;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its first slash, and encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of a body in JSON. */
  readonly file?: Blob | Uint8Array<ArrayBuffer>;
}

/** What an answer shows, named. */
export interface Tagged {
  readonly etag: string;
}

/**
 * Sends requests, and again what failed for the moment. All but GET have an idempotency key, the same in each attempt.
 * @throws HoldfastError
 */
export interface Send {
  /** Gives the JSON of the answer. */
  json<T>(request: ApiRequest, options?: KeyedOptions): Promise<T>;
  /** Gives the JSON of the answer with its entity tag. */
  tagged<T>(request: ApiRequest, options?: CallOptions): Promise<T & Tagged>;
  /** Gives the whole answer. */
  heard(request: ApiRequest, options?: CallOptions): Promise<Heard>;
  /** Gives the bytes of the answer, with their media type. */
  file(request: ApiRequest, options?: CallOptions): Promise<Blob>;
  /** Gives the body of the answer as it comes. */
  opened(request: ApiRequest, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

export const ATTEMPTS = 6;

export function createSend(options: ClientOptions, timing: Timing): Send {
  const sent = async <T>(read: Sending<T>['read'], request: ApiRequest, call?: KeyedOptions): Promise<T> =>
    await sendUntil({ options, timing, read }, request, call);
  return {
    json: async <T>(request: ApiRequest, call?: KeyedOptions) => await sent(readJson<T>, request, call),
    tagged: async <T>(request: ApiRequest, call?: CallOptions) => await sent(readTagged<T>, request, call),
    heard: async (request, call) => await sent(hear, request, call),
    file: async (request, call) => await sent(readFile, request, call),
    opened: async (request, call) => await sent(open, request, call),
  };
}

interface Sending<T> {
  readonly options: ClientOptions;
  readonly timing: Timing;
  /** Reads an answer that is a success. */
  readonly read: (response: Response) => Promise<T>;
}

async function sendUntil<T>(
  sending: Sending<T>,
  request: ApiRequest,
  { signal, ...given }: KeyedOptions = {},
): Promise<T> {
  const { options, timing } = sending;
  const { attempts = ATTEMPTS } = options;
  const url = toUrl(options.baseUrl, request);
  const { key, isKnown } = keyOf(given);
  let mayTakeEffect = isKnown;
  for (let attempt = 1; ; attempt += 1) {
    const init = { ...(await toInit(options, request, key)), ...(signal && { signal }) };
    const answer = await ask(sending, url, init);
    if ('success' in answer) return answer.success;
    const { error } = answer;
    mayTakeEffect = mayBeDone(request.method, error, mayTakeEffect);
    const delayMs = attempt < attempts ? retryDelay(error, attempt, timing.random()) : null;
    if (delayMs === null) throw request.method === 'GET' ? error : sentUnder(key, error, mayTakeEffect);
    await timing.sleep(delayMs, signal);
  }
}

function keyOf({ idempotencyKey: given, isKnownKey: isKnown = given !== undefined }: KeyedOptions) {
  return { key: given ?? crypto.randomUUID(), isKnown };
}

/** Reads an answer to its end. */
async function hear(response: Response): Promise<Heard> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function readJson<T>(response: Response): Promise<T> {
  return readAnswer<T>(await hear(response));
}

async function readTagged<T>(response: Response): Promise<T & Tagged> {
  return { ...(await readJson<T>(response)), etag: response.headers.get('etag') ?? '' };
}

const readFile = async (response: Response): Promise<Blob> => await response.blob();

/** @throws HoldfastError for what is no stream of events */
async function open({ status, headers, body }: Response): Promise<ReadableStream<Uint8Array>> {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body;
  throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: `${status} with no stream of events`, status });
}

function toUrl(baseUrl: string, { path, query = {} }: ApiRequest): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value = []] of Object.entries(query))
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  return url.href;
}

async function toInit({ token }: ClientOptions, request: ApiRequest, key: string): Promise<RequestInit> {
  const { method, body, file } = request;
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
  if (method !== 'GET') headers.set('idempotency-key', key);
  if (file !== undefined) return { method, headers, body: file };
  if (body === undefined) return { method, headers };
  headers.set('content-type', 'application/json');
  return { method, headers, body: JSON.stringify(body) };
}

type Outcome<T> = { readonly success: T } | { readonly error: HoldfastError };

/** @throws the reason of the signal */
async function ask<T>({ options, timing, read }: Sending<T>, url: string, init: RequestInit): Promise<Outcome<T>> {
  try {
    const response = await (options.fetch ? options.fetch(url, init) : fetch(url, init));
    if (response.ok) return { success: await read(response) };
    return { error: readProblem(await hear(response), timing.now()) };
  } catch (cause) {
    init.signal?.throwIfAborted();
    if (cause instanceof HoldfastError) return { error: cause };
    const detail = `${new URL(options.baseUrl).origin} can't be reached: ${causeOf(cause)}`;
    return { error: new HoldfastError({ code: 'UNREACHABLE', detail, cause }) };
  }
}

/** Node's `fetch` says why it failed in the cause of its error. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}

/** Refusals of a caller or of load: the API answers so without a look at what the key has done. */
const BEFORE_KEY: ReadonlySet<number | null> = new Set([401, 403, 429]);

/**
 * Returns whether a request may have been done, after an attempt that was not served.
 * @param before if an earlier attempt with the key may have been; a refusal answers for it where the API knows the key
 */
function mayBeDone(method: string, error: HoldfastError, before: boolean): boolean {
  if (method === 'GET') return false;
  if (!isRefusal(error)) return true;
  // A deletion has no answer that is kept: after one that was done, the next finds nothing.
  return before && (method === 'DELETE' || BEFORE_KEY.has(error.status));
}

/** Refused requests have changed nothing. Any other may be done, or be under way. */
function isRefusal({ status, code, mayTakeEffect }: HoldfastError): boolean {
  if (status === null || mayTakeEffect || code === 'REQUEST_IN_PROGRESS') return false;
  return status >= 400 && status < 500;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Of the API or of what stands before it: the same request may be served later. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The pause before the next attempt, in milliseconds: the time that the API names, or twice as long each time.
 * @param attempt the number of the attempt that failed, from 1
 * @param random from 0 to 1; spreads the requests of many clients
 * @returns `null`: another attempt would fail the same way, or is wanted too late
 */
function retryDelay(error: HoldfastError, attempt: number, random: number): number | null {
  if (!isPassing(error)) return null;
  const { retryAfterMs } = error;
  if (retryAfterMs !== null) return retryAfterMs > LONGEST_MS ? null : retryAfterMs + random * FIRST_MS;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
}

function isPassing({ code, status }: HoldfastError): boolean {
  return code === 'UNREACHABLE' || code === 'REQUEST_IN_PROGRESS' || (status !== null && PASSING.has(status));
}

/** An answer of the API, read to its end. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Reads the JSON of an answer. Its type is the route's, which the API makes from the same schema. */
function readAnswer<T>(heard: Heard): T;
function readAnswer({ status, text }: Heard): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: `${status} with no JSON`, status, cause });
  }
}

/** Makes an error of an answer that is no success. @param now milliseconds since the epoch */
function readProblem({ status, headers, text }: Heard, now: number): HoldfastError {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
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

/** Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. @returns milliseconds */
function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
