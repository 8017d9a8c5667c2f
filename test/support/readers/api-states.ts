import type { NodeOfType } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { readAll } from './api-runs.ts';
import { at, textAt } from './json-at.ts';

/** A node that executes a job of a `JobService`, and logs it. */
export function aJob(
  name: string,
  over: Partial<Extract<NodeOfType<'tool'>, { tool: string }>> = {},
): Extract<NodeOfType<'tool'>, { tool: string }> {
  return { type: 'tool', tool: 'work', args: { job: name }, write: { log: '{{ result.job }}' }, ...over };
}

export async function etagOf(client: ApiClient, runId: string): Promise<string> {
  return (await client.get(`/api/runs/${runId}/state`)).headers.get('etag') ?? '';
}

/** Edits a run's state. @param etag by default the current one; `null` sends none */
export async function patchState(
  client: ApiClient,
  runId: string,
  { etag, ...body }: { etag?: string | null; values?: Json; asNode?: string },
): Promise<ApiAnswer> {
  const ifMatch = etag === undefined ? await etagOf(client, runId) : etag;
  return await client.send(`/api/runs/${runId}/state`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...(ifMatch !== null && { 'if-match': ifMatch }) },
    body: JSON.stringify({ values: {}, ...body }),
  });
}

/** A run's checkpoints, oldest first. */
export async function checkpointsOf(client: ApiClient, runId: string): Promise<Json[]> {
  return (await readAll(client, `/api/runs/${runId}/checkpoints`)).toReversed();
}

/** The id of the newest checkpoint that matches. */
export async function checkpointWhere(
  client: ApiClient,
  runId: string,
  isWanted: (checkpoint: Json) => boolean,
): Promise<string> {
  const found = (await checkpointsOf(client, runId)).findLast(isWanted);
  if (found === undefined) throw new Error(`Run ${runId} has no such checkpoint`);
  return textAt(found, '/id');
}

/** Matches checkpoints whose next nodes are exactly these. */
export function hasNextNodes(...nodes: readonly string[]): (checkpoint: Json) => boolean {
  return (checkpoint) => JSON.stringify(at(checkpoint, '/next')) === JSON.stringify(nodes);
}

/** Returns all data of a run that a reader can get. */
export async function allOf(client: ApiClient, runId: string): Promise<Record<string, Json>> {
  const { body: run } = await client.get(`/api/runs/${runId}`);
  const { body: state } = await client.get(`/api/runs/${runId}/state`);
  const history = await readAll(client, `/api/runs/${runId}/history`);
  return { run, state, history, checkpoints: await checkpointsOf(client, runId) };
}
