import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { ApiAccess } from './api-access.ts';
import { RefusedError } from './command.ts';

/** Sends requests to the API, and repeats them for some seconds while it is away. */
export interface ApiClient {
  /** @throws RefusedError for any status but 200 */
  get(path: string, prefer?: string): Promise<Json>;
  /** @returns the answer at any status: callers handle refusals */
  post(path: string, body: Json): Promise<ApiAnswer>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Json;
}

const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

export function createApiClient({ baseUrl, token }: ApiAccess): ApiClient {
  const send = async (
    path: string,
    init: RequestInit,
    headers: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer> => {
    const response = await fetchWithRetries(new URL(path, baseUrl), {
      ...init,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await readJson(response) };
  };
  return {
    async get(path, prefer) {
      const answer = await send(path, {}, prefer === undefined ? {} : { prefer });
      if (answer.status !== 200) throw new RefusedError(describeRefusal(answer));
      return answer.body;
    },
    post: async (path, body) =>
      await send(
        path,
        { method: 'POST', body: JSON.stringify(body) },
        { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      ),
  };
}

const Problem = z.looseObject({ code: z.string(), detail: z.string() });

/** Describes a refusal by its code and detail. */
export function describeRefusal({ status, body }: ApiAnswer): string {
  const problem = Problem.safeParse(body).data;
  return `The API answered ${status}${problem ? ` ${problem.code}: ${problem.detail}` : ''}`;
}

/** Repeats a request while the API does not answer or answers 503. GET is safe, and a POST has an idempotency key. */
async function fetchWithRetries(url: URL, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === ATTEMPTS;
    try {
      const response = await fetch(url, init);
      if (response.status !== 503 || isLast) return response;
    } catch (error) {
      if (isLast) throw new RefusedError(`${url.origin} can't be reached: ${causeOf(error)}`, { cause: error });
    }
    await sleep(PAUSE_MS);
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}

async function readJson(response: Response): Promise<Json> {
  const text = await response.text();
  try {
    return toJson(JSON.parse(text));
  } catch (error) {
    throw new RefusedError(`${response.url} answered ${response.status} with something that is no JSON`, {
      cause: error,
    });
  }
}
