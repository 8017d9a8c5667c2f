import { HoldfastError } from './holdfast-error.ts';
import { readAnswer, readProblem } from './read-answer.ts';
import type { Heard } from './read-answer.ts';
import { retryDelay } from './retry-delay.ts';
import type { Timing } from './timing.ts';

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

/**
 * Sends requests, and again what failed for the moment. All but GET have an idempotency key, the same in each attempt.
 * @throws HoldfastError
 */
export interface Send {
  /** Gives the JSON of the answer. */
  json<T>(request: ApiRequest, options?: CallOptions): Promise<T>;
  /** Gives the whole answer. */
  heard(request: ApiRequest, options?: CallOptions): Promise<Heard>;
  /** Gives the bytes of the answer, with their media type. */
  file(request: ApiRequest, options?: CallOptions): Promise<Blob>;
  /** Gives the body of the answer as it comes. */
  opened(request: ApiRequest, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
}

export const ATTEMPTS = 6;

export function createSend(options: ClientOptions, timing: Timing): Send {
  const heard: Send['heard'] = async (request, call) => await sendUntil({ options, timing, read: hear }, request, call);
  return {
    heard,
    file: async (request, call) => await sendUntil({ options, timing, read: readFile }, request, call),
    opened: async (request, call) => await sendUntil({ options, timing, read: open }, request, call),
    async json<T>(request: ApiRequest, call?: CallOptions) {
      return readAnswer<T>(await heard(request, call));
    },
  };
}

interface Sending<T> {
  readonly options: ClientOptions;
  readonly timing: Timing;
  /** Reads an answer that is a success. */
  readonly read: (response: Response) => Promise<T>;
}

async function sendUntil<T>(
  { options, timing, read }: Sending<T>,
  request: ApiRequest,
  { signal, idempotencyKey }: CallOptions = {},
): Promise<T> {
  const { attempts = ATTEMPTS } = options;
  const url = toUrl(options.baseUrl, request);
  const key = idempotencyKey ?? crypto.randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    const init = { ...(await toInit(options, request, key)), ...(signal && { signal }) };
    const answer = await ask(options, url, { init, read });
    if ('success' in answer) return answer.success;
    const error = 'refused' in answer ? readProblem(answer.refused, timing.now()) : answer.failure;
    const delayMs = attempt < attempts ? retryDelay(error, attempt, timing.random()) : null;
    if (delayMs === null) throw error;
    await timing.sleep(delayMs, signal);
  }
}

/** Reads an answer to its end. */
async function hear(response: Response): Promise<Heard> {
  return { status: response.status, headers: response.headers, text: await response.text() };
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

type Outcome<T> =
  | { readonly success: T }
  | { readonly refused: Heard }
  /** No answer came to its end. */
  | { readonly failure: HoldfastError };

/** @throws the reason of the signal, or what `read` finds wrong */
async function ask<T>(
  { baseUrl, fetch: ownFetch }: ClientOptions,
  url: string,
  { init, read }: { readonly init: RequestInit } & Pick<Sending<T>, 'read'>,
): Promise<Outcome<T>> {
  try {
    const response = await (ownFetch ? ownFetch(url, init) : fetch(url, init));
    return response.ok ? { success: await read(response) } : { refused: await hear(response) };
  } catch (cause) {
    init.signal?.throwIfAborted();
    if (cause instanceof HoldfastError) throw cause;
    const detail = `${new URL(baseUrl).origin} can't be reached: ${causeOf(cause)}`;
    return { failure: new HoldfastError({ code: 'UNREACHABLE', detail, cause }) };
  }
}

/** Node's `fetch` says why it failed in the cause of its error. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
