import type { GraphDefinition, NodeDefinition, NodeOfType } from '../../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../builders/builders.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { at, listAt, textAt } from './json-at.ts';

/** A graph of one node, which writes its result to `answer`; the channel `given` is for input. */
export function aGraphOf(node: NodeDefinition, over: Partial<GraphDefinition> = {}): GraphDefinition {
  const nodes = { only: { write: 'answer', ...node } };
  return aDefinition({ channels: { answer: {}, given: {} }, nodes, ...over });
}

/** A graph with one approval. */
export function anAskingGraph(over: Partial<NodeOfType<'approval'>> = {}): GraphDefinition {
  return aGraphOf({ type: 'approval', title: 'May I?', ...over });
}

/** Returns the response for a run once the run has ended or waits; a refusal is returned unchanged. */
export async function untilEndedOrWaiting(client: ApiClient, answered: ApiAnswer): Promise<ApiAnswer> {
  if (answered.status !== 201 || isAtRest(answered.body)) return answered;
  return { ...answered, body: await client.untilRun(textAt(answered.body, '/id'), isAtRest) };
}

const isAtRest = (run: Json): boolean => !['queued', 'running'].includes(textAt(run, '/status'));

/** Starts a run by a request, and waits until it ends or waits. */
export async function postRun(
  client: ApiClient,
  asked: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiAnswer> {
  return await untilEndedOrWaiting(client, await client.post('/api/runs', asked, { prefer: 'wait=15', ...headers }));
}

/** Starts a run and waits until it ends or waits. */
export async function startRun(
  client: ApiClient,
  graph: GraphDefinition | string,
  input: JsonObject = {},
): Promise<Json> {
  const { status, body } = await postRun(client, { graph, input });
  if (status === 201) return body;
  throw new Error(`The run was not started: ${JSON.stringify(body)}`);
}

export interface AskingRun {
  readonly runId: string;
  readonly approvalId: string;
}

/** Starts a run and waits until it requests its approval. */
export async function startAsking(client: ApiClient, over: Partial<NodeOfType<'approval'>> = {}): Promise<AskingRun> {
  const run = await startRun(client, anAskingGraph(over));
  return { runId: textAt(run, '/id'), approvalId: textAt(run, '/waitingFor/0/id') };
}

/** Reads every item of a list, page by page. @param path may have a query */
export async function readAll(client: ApiClient, path: string, limit = 50): Promise<Json[]> {
  const url = new URL(path, 'http://any');
  url.searchParams.set('limit', String(limit));
  const items: Json[] = [];
  for (;;) {
    const { body } = await client.get(`${url.pathname}${url.search}`);
    items.push(...listAt(body, '/items'));
    const cursor = at(body, '/nextCursor');
    if (typeof cursor !== 'string') return items;
    url.searchParams.set('cursor', cursor);
  }
}

/** Returns a run's events. @param type only events of this type */
export async function eventsOf(client: ApiClient, runId: string, type?: string): Promise<Json[]> {
  const events = await readAll(client, `/api/runs/${runId}/history`);
  return type === undefined ? events : events.filter((event) => at(event, '/type') === type);
}

/** For `vi.waitFor` and `vi.waitUntil`: the same times as for `expect.poll` in vitest.config.ts. */
export const PATIENTLY = { interval: 25, timeout: 15_000 };

export function hasStatus(...wanted: readonly string[]): (run: Json) => boolean {
  return (run) => wanted.includes(textAt(run, '/status'));
}
