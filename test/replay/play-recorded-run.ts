import type { WorkflowClient } from '@temporalio/client';
import { toJson, toJsonObject } from '../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { eventsOf, readAll } from '../support/readers/api-runs.ts';
import { executionsOf } from '../support/readers/executions.ts';
import type { History } from '../support/readers/executions.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { hasState } from './has-state.ts';
import type { RecordedRun, RecordedStep } from './recorded-runs.ts';

/** Where runs are played. */
export interface Stage {
  readonly client: ApiClient;
  readonly workflow: WorkflowClient;
}

/** Plays a run to its end. @returns the histories of all its executions, and of its fork's */
export async function playRecordedRun(stage: Stage, run: RecordedRun): Promise<readonly History[]> {
  const { client } = stage;
  const { graph, publishes = [], input = {}, threadId, forkAt, steps = [] } = run;
  for (const published of publishes) await succeed(client, '/api/graphs', toJsonObject(published));
  const start = async (): Promise<string> => {
    const { body } = await client.post('/api/runs', { graph, input, ...(threadId !== undefined && { threadId }) });
    return textAt(body, '/id');
  };
  const id = await start();
  const histories = await playSteps(stage, id, steps);
  if (threadId !== undefined) histories.push(...(await playSteps(stage, await start(), steps)));
  if (forkAt === undefined) return histories;
  const checkpoints = (await readAll(client, `/api/runs/${id}/checkpoints`)).toReversed();
  const checkpoint = textAt(checkpoints[forkAt] ?? null, '/id');
  const { body } = await client.post(`/api/runs/${id}/fork`, { checkpoint });
  return [...histories, ...(await playSteps(stage, textAt(body, '/id'), steps))];
}

/** An execution that has closed before the run goes on again is not reached from the one after: it is read before. */
async function playSteps(stage: Stage, id: string, steps: readonly RecordedStep[]): Promise<History[]> {
  const histories: History[] = [];
  for (const step of steps) {
    const run = await until(stage, id, step.when);
    if (at(run, '/endedAt') !== null) histories.push(...(await closed(stage, id)));
    await play(stage, id, step);
  }
  await until(stage, id, 'ended');
  return [...histories, ...(await closed(stage, id))];
}

async function play({ client, workflow }: Stage, id: string, step: RecordedStep): Promise<void> {
  const handle = workflow.getHandle(toWorkflowId({ tenantId: 'demo', id }));
  if ('isCancelRequested' in step) return void (await handle.cancel());
  if ('signal' in step) return await handle.signal(step.signal, ofRun(step.payload, id));
  if ('control' in step) return await succeed(client, `/api/runs/${id}/${step.control}`, step.body ?? {});
  const { body } = await client.get(`/api/runs/${id}`);
  const asked = listAt(body, '/waitingFor').filter((one) => at(one, '/kind') === 'approval');
  for (const one of asked) await succeed(client, `/api/runs/${id}/approve`, { approvalId: textAt(one, '/id') });
}

async function succeed(client: ApiClient, path: string, body: JsonObject): Promise<void> {
  const answer = await client.post(path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** Ids inside a run begin with the run's. */
function ofRun(payload: Json | undefined, id: string): Json {
  return toJson(JSON.parse(JSON.stringify(payload ?? {}).replaceAll('"RUN.', `"${id}.`)));
}

const GIVE_UP_AFTER_MS = 120_000;

/**
 * Waits for a status, for one of a node that waits (`waiting:node`), for a call of a node (`call:node`), for an event, or
 * until the run goes on in an execution (`execution:2`).
 */
async function until({ client, workflow }: Stage, id: string, when: string): Promise<Json> {
  const isMet = when.startsWith('execution:')
    ? async () => (await executionsOf(workflow, id)).length >= Number(when.split(':')[1])
    : conditionOf(when);
  for (const deadline = Date.now() + GIVE_UP_AFTER_MS; ;) {
    const { body: run } = await client.get(`/api/runs/${id}`);
    if (await isMet(run, await eventsOf(client, id))) return run;
    if (at(run, '/endedAt') !== null || Date.now() > deadline)
      throw new Error(`${id} did not come to ${when}: ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function conditionOf(when: string): (run: Json, events: readonly Json[]) => boolean {
  const [what = '', node] = when.split(':');
  if (what === 'ended') return (run) => at(run, '/endedAt') !== null;
  if (what === 'call') return (_run, events) => events.some((event) => isCallOf(event, node));
  if (what.includes('.')) return (_run, events) => events.some((event) => at(event, '/type') === what);
  return (run) => hasState(run, when);
}

function isCallOf(event: Json, node: string | undefined): boolean {
  return at(event, '/type') === 'tool.requested' && at(event, '/node') === node;
}

/** The histories of a run that has ended, once its workflow has closed. */
async function closed({ workflow }: Stage, id: string): Promise<readonly History[]> {
  const handle = workflow.getHandle(toWorkflowId({ tenantId: 'demo', id }));
  await handle.result().catch(() => undefined);
  return await executionsOf(workflow, id);
}
