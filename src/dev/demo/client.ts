import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, toJson } from '../../graph/json.ts';
import type { Json, JsonObject } from '../../graph/json.ts';

/** Speaks to the API as somebody. */
export interface Client {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<JsonObject>;
  post(path: string, body: Json, headers?: Readonly<Record<string, string>>): Promise<JsonObject>;
}

export function createClient(baseUrl: string, token: string): Client {
  const request = async (path: string, init: RequestInit): Promise<JsonObject> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetch(new URL(path, baseUrl), { ...init, headers });
    const answer = toJson(await response.json());
    if (!isJsonObject(answer)) throw new Error(`${path} answered no object`);
    if (response.ok) return answer;
    if (response.status === 503) {
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
      return await request(path, init);
    }
    throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  };
  return {
    get: async (path, headers = {}) => await request(path, { headers }),
    post: async (path, body, headers = {}) => await request(path, { method: 'POST', body: JSON.stringify(body), headers }),
  };
}
