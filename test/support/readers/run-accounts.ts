import type { WorkflowHandle } from '@temporalio/client';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import { isJsonObject } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { QUERIES } from '../../../src/workflows/contract.ts';
import type { ApiClient } from './api-client.ts';
import { eventsOf, readAll } from './api-runs.ts';
import { at, listAt } from './json-at.ts';
import { payloadText } from './payload-text.ts';

/** The state of a run according to the rows of the store, or to its workflow. */
export interface RunAccount {
  readonly events: readonly Json[];
  readonly approvals: readonly Json[];
  readonly values: Json | undefined;
  readonly next: Json | undefined;
  readonly checkpoint: Json | undefined;
  readonly view: Readonly<Record<string, Json | undefined>>;
}

const VIEW = ['status', 'step', 'next', 'waitingFor', 'output', 'error', 'usage', 'startedAt', 'endedAt'];

/** The state according to the rows. The API stops at the first missing event. */
export async function accountOfRows(client: ApiClient, runId: string): Promise<RunAccount> {
  const { body: run } = await client.get(`/api/runs/${runId}`);
  const { body: state } = await client.get(`/api/runs/${runId}/state`);
  return toAccount(run, state, {
    events: await eventsOf(client, runId),
    approvals: (await readAll(client, `/api/approvals?runId=${runId}`)).map(asAsked).toReversed(),
  });
}

/** Fields that the inbox adds, which the workflow does not have. */
const OF_THE_INBOX: ReadonlySet<string> = new Set([
  'askedArgs',
  'closedAt',
  'comments',
  'graph',
  'progress',
  'remindedAt',
  'who',
]);

function asAsked(approval: Json): Json {
  if (!isJsonObject(approval)) return approval;
  return Object.fromEntries(Object.entries(approval).filter(([name]) => !OF_THE_INBOX.has(name)));
}

/**
 * The state according to the workflow; a workflow that is in no worker's cache is replayed from its history for this
 * query.
 */
export async function accountOfWorkflow(handle: WorkflowHandle): Promise<RunAccount> {
  const ask = async (query: string): Promise<Json> => toJson(await handle.query<unknown>(query));
  const [events, approvals] = [await ask(QUERIES.history), await ask(QUERIES.approvals)];
  return toAccount(await ask(QUERIES.status), await ask(QUERIES.state), {
    events: listAt({ events }, '/events'),
    approvals: listAt({ approvals }, '/approvals'),
  });
}

function toAccount(run: Json, state: Json, lists: Pick<RunAccount, 'events' | 'approvals'>): RunAccount {
  return {
    ...lists,
    values: at(state, '/values'),
    next: at(state, '/next'),
    checkpoint: at(state, '/checkpoint'),
    view: Object.fromEntries(VIEW.map((name) => [name, at(run, `/${name}`)])),
  };
}

/** The events that the activities of a workflow were given to write, in order; what was given twice alike, once. */
export async function committedEvents(handle: WorkflowHandle): Promise<Json[]> {
  const { events } = await handle.fetchHistory();
  const carried = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    (scheduled?.input?.payloads ?? []).slice(1),
  );
  const written = carried.flatMap((payload) => toBatch(payloadText(payload)).events);
  const different = new Map(written.map((event) => [JSON.stringify(event), event]));
  return [...different.values()].sort((a, b) => a.seq - b.seq).map((event) => toJson(event));
}

function toBatch(text: string): Pick<JournalBatch, 'events'> {
  return JSON.parse(text) ?? { events: [] };
}
