import { isJsonObject } from '../../../src/graph/values/json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { ApiClient } from './api-client.ts';
import { at } from './json-at.ts';

/** The API's description at /openapi.json, to compare with its behavior. */
export interface ApiDescription {
  /** Every route, such as `GET /api/runs/{id}`. */
  readonly routes: readonly string[];
  /** Wraps a client and records its responses. */
  watch(client: ApiClient): ApiClient;
  /** Recorded responses that are not described, such as `GET /api/runs/{id} 404`. */
  notDescribed(): readonly string[];
}

export async function readDescription(client: ApiClient): Promise<ApiDescription> {
  const { body } = await client.get('/openapi.json');
  const operations = operationsOf(at(body, '/paths') ?? null);
  const seen = new Set<string>();
  const note = (method: string, path: string, status: number): void => {
    const operation = operations.find((one) => one.method === method && one.pattern.test(path));
    if (operation && !operation.statuses.has(String(status))) seen.add(`${operation.route} ${status}`);
  };
  return {
    routes: operations.map(({ route }) => route),
    watch: (watched) => noting(watched, note),
    notDescribed: () => [...seen],
  };
}

type Note = (method: string, path: string, status: number) => void;

function noting(client: ApiClient, note: Note): ApiClient {
  const noted = async (
    method: string,
    path: string,
    asked: ReturnType<ApiClient['send']>,
  ): ReturnType<ApiClient['send']> => {
    const answer = await asked;
    note(method, new URL(path, 'http://any').pathname, answer.status);
    return answer;
  };
  return {
    get: async (path, headers) => await noted('GET', path, client.get(path, headers)),
    post: async (path, body, headers) => await noted('POST', path, client.post(path, body, headers)),
    send: async (path, init) => await noted(init.method ?? 'GET', path, client.send(path, init)),
    untilRun: async (id, isWanted, withinMs) => await client.untilRun(id, isWanted, withinMs),
  };
}

interface Operation {
  readonly method: string;
  readonly route: string;
  readonly pattern: RegExp;
  readonly statuses: ReadonlySet<string>;
}

function operationsOf(paths: Json): readonly Operation[] {
  return membersOf(paths).flatMap(([path, methods]) =>
    membersOf(methods).map(([name, operation]) => {
      const method = name.toUpperCase();
      const statuses = new Set(membersOf(at(operation, '/responses') ?? null).map(([status]) => status));
      return { method, route: `${method} ${path}`, pattern: toPattern(path), statuses };
    }),
  );
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function membersOf(value: Json): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
