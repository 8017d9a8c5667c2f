import { setTimeout as sleep } from 'node:timers/promises';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';

/** A response of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; `null` without one, or if it is not JSON. */
  readonly body: Json;
}

/** An HTTP client of the API for one caller; it also returns refusals and never throws for them. */
export interface ApiClient {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  send(path: string, init: RequestInit): Promise<ApiAnswer>;
  /**
   * Reads a run until it matches.
   * @throws when the request is refused permanently, or the run does not match after `withinMs`
   */
  untilRun(id: string, isWanted: (run: Json) => boolean, withinMs?: number): Promise<Json>;
}

/** The statuses of a request that may succeed later: there are too many requests, or a dependency is unavailable. */
const NOT_NOW: ReadonlySet<number> = new Set([429, 503]);

/** @param ask sends a request; by default one attempt only */
export function createApiClient(
  baseUrl: string,
  token: string | null,
  ask: (url: URL, init: RequestInit) => Promise<Response> = fetch,
): ApiClient {
  const send = async (path: string, init: RequestInit): Promise<ApiAnswer> => {
    const headers = new Headers(init.headers);
    if (token !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
    const response = await ask(new URL(path, baseUrl), { ...init, headers });
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? toJson(JSON.parse(text)) : null,
    };
  };
  const get: ApiClient['get'] = async (path, headers = {}) => await send(path, { headers });
  return {
    get,
    send,
    post: async (path, body, headers = {}) =>
      await send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async untilRun(id, isWanted, withinMs = 45_000) {
      for (const deadline = Date.now() + withinMs; ;) {
        const { status, body } = await get(`/api/runs/${id}`, { prefer: 'wait=5' });
        if (status < 300 && isWanted(body)) return body;
        if (status >= 300 && !NOT_NOW.has(status)) throw new Error(`Run ${id} is refused: ${JSON.stringify(body)}`);
        if (Date.now() > deadline) throw new Error(`Run ${id} did not come to it: ${JSON.stringify(body)}`);
        await sleep(20);
      }
    },
  };
}
