import { Client, Connection, defaultPayloadConverter } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { toStored } from '../../../src/process/payloads/stored-payload.ts';
import { toWorkflowId } from '../../../src/workflows/contract.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aReference } from '../../support/builders/signal-payloads.ts';
import { PATIENTLY, eventsOf, hasStatus, postRun } from '../../support/readers/api-runs.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/*
 * A client that can signal a workflow can send any payload. None stops the run: it is ignored at once, and the next
 * signal is handled.
 */

const teardown = openTeardown();
let stack: TestStack;
let client: Client;
let database: Pool;
beforeAll(async () => {
  stack = await startTestStack({});
  teardown.add(() => stack.stop());
  const connection = await Connection.connect({ address: stack.temporalAddress });
  teardown.add(() => connection.close());
  client = new Client({ connection, namespace: stack.namespace });
  database = new Pool({ connectionString: stack.databaseUrl ?? '' });
  teardown.add(() => database.end());
  await store('run:other:R9/secret', sound);
});
afterAll(async () => await teardown.run());

const COMPLETED =
  proto.temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;

const graph = aDefinition({ nodes: { ask: { type: 'approval', title: 'Go on?' } } });
const workflowIdOf = (id: string): string => toWorkflowId({ tenantId: 'demo', id });

async function startWaiting(): Promise<string> {
  const id = textAt((await postRun(stack.as('user'), { graph, input: {} })).body, '/id');
  await stack.as('user').untilRun(id, hasStatus('waiting'));
  return id;
}

async function signal(id: string, ...payloads: Payload[]): Promise<void> {
  await client.workflowService.signalWorkflowExecution({
    namespace: stack.namespace,
    workflowExecution: { workflowId: workflowIdOf(id) },
    signalName: 'approve',
    input: { payloads },
  });
}

async function store(id: string, payload: Payload): Promise<void> {
  const { metadata, data } = toStored(payload);
  await database.query(
    'insert into blobs (id, workflow_id, metadata, data, created_at) values ($1, $2, $3, $4, now()) on conflict do nothing',
    [id, id.replace(/\/.*/, ''), JSON.stringify(metadata), data],
  );
}

/** Approves through the API, which responds as long as the run is not blocked. */
async function approve(id: string): Promise<void> {
  expect(await stack.as('approver').post(`/api/runs/${id}/approve`, {})).toMatchObject({ status: 200 });
  await stack.as('user').untilRun(id, hasStatus('completed'));
}

const sound = defaultPayloadConverter.toPayload({ reason: 'ok' });
const encoded = (encoding: string, data: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});

/** Payloads of untrusted clients, built from the workflow that receives them. */
const UNREADABLE: readonly (readonly [what: string, payload: (workflowId: string) => Payload, why: RegExp])[] = [
  ['is missing from the store', (id) => aReference({ id: `${id}/gone` }), /not in the store/],
  ['belongs to another run', () => aReference({ id: 'run:other:R9/secret' }), /not of this run/],
  ['is in an unknown store', (id) => aReference({ id: `${id}/gone` }, 's3'), /broken reference/],
  ['is an empty reference', () => aReference({}), /broken reference/],
  ['is a reference in malformed JSON', () => ({ ...aReference({}), data: Buffer.from('{') }), /broken reference/],
  ['is malformed JSON', () => encoded('json/plain', '{"reason":'), /no JSON/],
  ['has an unknown encoding', () => encoded('binary/zip', 'PK'), /no JSON/],
  ['is JSON with a broken compression', () => encoded('holdfast/deflate', 'x'), /no JSON/],
  ['has no encoding', () => ({ data: Buffer.from('{}') }), /no JSON/],
];

describe.concurrent('signals with unreadable payloads', () => {
  test.each(UNREADABLE)(
    'a signal with a payload that %s is ignored at once, and the run accepts the next control',
    async (_what, payload, why) => {
      const id = await startWaiting();
      await signal(id, payload(workflowIdOf(id)));
      await approve(id);
      const ignored = (await eventsOf(stack.as('user'), id)).filter((event) => at(event, '/type') === 'signal.ignored');
      expect(ignored).toMatchObject([{ signal: 'approve', reason: 'malformed', detail: expect.stringMatching(why) }]);
    },
  );

  test('a signal whose second payload is missing is handled by its first payload', async () => {
    const id = await startWaiting();
    await signal(id, sound, aReference({ id: `${workflowIdOf(id)}/gone` }));
    expect(await stack.as('user').untilRun(id, hasStatus('completed'))).toMatchObject({ status: 'completed' });
  });

  test('a signal payload by reference is accepted, and one of 5 MB does no harm', async () => {
    const id = await startWaiting();
    const own = `${workflowIdOf(id)}/own`;
    await store(`${own}-large`, defaultPayloadConverter.toPayload({ decision: 'x'.repeat(5_000_000) }));
    await signal(id, aReference({ id: `${own}-large` }));
    await store(own, sound);
    await signal(id, aReference({ id: own }));
    await stack.as('user').untilRun(id, hasStatus('completed'));
    const events = await eventsOf(stack.as('user'), id);
    expect(events.map((event) => at(event, '/type'))).toContain('signal.ignored');
  });

  test('a signal payload that arrives late stays ignored when the history is replayed', async () => {
    const id = await startWaiting();
    const late = `${workflowIdOf(id)}/late`;
    await signal(id, aReference({ id: late }));
    await vi.waitFor(async () => {
      const types = (await eventsOf(stack.as('user'), id)).map((event) => at(event, '/type'));
      expect(types).toContain('signal.ignored');
    }, PATIENTLY);
    await store(late, sound);
    // The same reference is sent again; the complete history is replayed when this stack stops.
    await signal(id, aReference({ id: late }));
    await approve(id);
  });
});

test('a query and an update with a missing payload do not affect the run', async () => {
  const id = await startWaiting();
  const workflowExecution = { workflowId: workflowIdOf(id) };
  const missing = { payloads: [aReference({ id: `${workflowIdOf(id)}/gone` })] };
  const { namespace } = stack;
  const query = { queryType: 'state', queryArgs: missing };
  await expect(
    client.workflowService.queryWorkflow({ namespace, execution: workflowExecution, query }),
  ).resolves.toMatchObject({ queryResult: { payloads: [expect.anything()] } });
  const request = { meta: { updateId: 'u1' }, input: { name: 'change', args: missing } };
  await client.workflowService.updateWorkflowExecution({
    namespace,
    workflowExecution,
    request,
    waitPolicy: { lifecycleStage: COMPLETED },
  });
  await approve(id);
  const history = await client.workflow.getHandle(workflowIdOf(id)).fetchHistory();
  expect(history.events?.filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
});
