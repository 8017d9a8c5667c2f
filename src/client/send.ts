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
}

export const ATTEMPTS = 6;

export function createSend(options: ClientOptions, timing: Timing): Send {
  const { attempts = ATTEMPTS } = options;
  const heard: Send['heard'] = async (request, { signal, idempotencyKey } = {}) => {
    const url = toUrl(options.baseUrl, request);
    const key = idempotencyKey ?? crypto.randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(options, url, { ...(await toInit(options, request, key)), ...(signal && { signal }) });
      if (!(answer instanceof HoldfastError) && isSuccess(answer)) return answer;
      const error = answer instanceof HoldfastError ? answer : readProblem(answer, timing.now());
      const delayMs = attempt < attempts ? retryDelay(error, attempt, timing.random()) : null;
      if (delayMs === null) throw error;
      await timing.sleep(delayMs, signal);
    }
  };
  return {
    heard,
    async json<T>(request: ApiRequest, call?: CallOptions) {
      return readAnswer<T>(await heard(request, call));
    },
  };
}

function isSuccess({ status }: Heard): boolean {
  return status >= 200 && status < 300;
}

function toUrl(baseUrl: string, { path, query = {} }: ApiRequest): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value = []] of Object.entries(query))
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  return url.href;
}

async function toInit({ token }: ClientOptions, request: ApiRequest, key: string): Promise<RequestInit> {
  const { method, body } = request;
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
  if (method !== 'GET') headers.set('idempotency-key', key);
  if (body === undefined) return { method, headers };
  headers.set('content-type', 'application/json');
  return { method, headers, body: JSON.stringify(body) };
}

/** @returns an error when no answer came to its end. @throws the reason of the signal */
async function ask(
  { baseUrl, fetch: ownFetch }: ClientOptions,
  url: string,
  init: RequestInit,
): Promise<Heard | HoldfastError> {
  try {
    const response = await (ownFetch ? ownFetch(url, init) : fetch(url, init));
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    init.signal?.throwIfAborted();
    return new HoldfastError({
      code: 'UNREACHABLE',
      detail: `${new URL(baseUrl).origin} can't be reached: ${causeOf(cause)}`,
      cause,
    });
  }
}

/** Node's `fetch` says why it failed in the cause of its error. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
