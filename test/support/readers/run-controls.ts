import type { Json } from '../../../src/graph/values/json.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { hasStatus } from './api-runs.ts';

/** Frequent operations of tests on runs, for one caller. */
export interface RunControls {
  /** Reads a path of the API. */
  readonly get: (path: string) => Promise<Json>;
  readonly runOf: (id: string) => Promise<Json>;
  /** Posts to a route of a run, such as `cancel`. */
  readonly control: (id: string, name: string, body?: object) => Promise<ApiAnswer>;
  /** Waits until a run has one of the given statuses. */
  readonly until: (id: string, ...statuses: string[]) => Promise<Json>;
}

/** @param user returns the caller, of the stack that is running at the time of a request */
export function createRunControls(user: () => ApiClient): RunControls {
  const get = async (path: string): Promise<Json> => (await user().get(path)).body;
  return {
    get,
    runOf: (id) => get(`/api/runs/${id}`),
    control: (id, name, body = {}) => user().post(`/api/runs/${id}/${name}`, body),
    until: (id, ...statuses) => user().untilRun(id, hasStatus(...statuses)),
  };
}
