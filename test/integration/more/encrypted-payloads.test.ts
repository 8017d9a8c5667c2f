import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection, defaultPayloadConverter } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client as Database } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAesGcmCodec } from '../../../examples/encryption/aes-gcm-codec.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { toWorkflowId } from '../../../src/workflows/contract.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { eventsOf, hasStatus, postRun } from '../../support/readers/api-runs.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* With codecs in the configuration, Temporal and the table of large payloads contain no readable data of a run. */

const teardown = openTeardown();
let stack: TestStack;
let client: Client;
let database: Database;
beforeAll(async () => {
  const config = fileURLToPath(new URL('../../../examples/encryption/holdfast.config.ts', import.meta.url));
  vi.stubEnv('HOLDFAST_PAYLOAD_KEY', randomBytes(32).toString('base64'));
  stack = await startTestStack(config);
  vi.stubEnv('HOLDFAST_PAYLOAD_KEY', undefined);
  teardown.add(() => stack.stop());
  const connection = await Connection.connect({ address: stack.temporalAddress });
  teardown.add(() => connection.close());
  client = new Client({ connection, namespace: stack.namespace });
  database = new Database({ connectionString: stack.databaseUrl ?? '' });
  await database.connect();
  teardown.add(() => database.end());
});
afterAll(async () => await teardown.run());

const CANARY = 'canary-4711';

const graph = aDefinition({
  channels: { small: {}, large: {}, said: {}, copy: {} },
  nodes: {
    ask: { type: 'approval', title: '{{ state.small }}?', write: { said: '{{ result.values }}' } },
    copy: { type: 'set', write: { copy: '{{ state.small }}: {{ state.said.text }}' } },
  },
});

/** All data of a run in Temporal, as text. */
async function keptOf(id: string): Promise<readonly string[]> {
  const workflowId = toWorkflowId({ tenantId: 'demo', id });
  const history = historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory());
  const payloads = [...history.matchAll(/"data":"([^"]+)"/g)];
  return [history, ...payloads.map(([, data = '']) => Buffer.from(data, 'base64').toString())];
}

async function blobsIn(table: 'blobs' | 'blob_pieces'): Promise<readonly string[]> {
  const { rows } = await database.query<{ data: Buffer }>(`select data from ${table} where data is not null`);
  return rows.map(({ data }) => data.toString());
}

test.each([
  // Too large for a history, and too large for one row.
  ['blobs', `${CANARY}${'x'.repeat(100_000)}`],
  ['blob_pieces', CANARY.repeat(40_000)],
] as const)(
  'the history of a run and its payloads in the table %s are encrypted, and the run continues',
  async (table, large) => {
    const user = stack.as('user');
    const id = textAt((await postRun(user, { graph, input: { small: CANARY, large } })).body, '/id');
    const decision = { values: { text: CANARY } };
    expect(await stack.as('approver').post(`/api/runs/${id}/approve`, decision)).toMatchObject({ status: 200 });
    const run = await user.untilRun(id, hasStatus('completed', 'failed'));
    expect(at(run, '/output/copy')).toBe(`${CANARY}: ${CANARY}`);
    const kept = [await keptOf(id), await blobsIn(table)];
    expect(kept.map((texts) => texts.length > 0)).toEqual([true, true]);
    expect(kept.flat().filter((text) => text.includes('canary'))).toEqual([]);
  },
);

test('a signal that is not encrypted with the configured key is ignored, and the run continues', async () => {
  const user = stack.as('user');
  const id = textAt((await postRun(user, { graph, input: { small: CANARY } })).body, '/id');
  await user.untilRun(id, hasStatus('waiting'));
  const stranger = createAesGcmCodec({ theirs: Buffer.alloc(32, 7) }, 'theirs');
  await client.workflowService.signalWorkflowExecution({
    namespace: stack.namespace,
    workflowExecution: { workflowId: toWorkflowId({ tenantId: 'demo', id }) },
    signalName: 'approve',
    input: { payloads: await stranger.encode([defaultPayloadConverter.toPayload({})]) },
  });
  expect(await stack.as('approver').post(`/api/runs/${id}/approve`, { values: { text: 'ok' } })).toMatchObject({
    status: 200,
  });
  await user.untilRun(id, hasStatus('completed'));
  const events = await eventsOf(user, id);
  expect(events.filter((event) => at(event, '/type') === 'signal.ignored')).toMatchObject([
    { reason: 'malformed', detail: expect.stringContaining('the codecs do not know it') },
  ]);
});
