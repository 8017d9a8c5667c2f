import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../src/graph/values/json.ts';
import { eventsOf, hasStatus, readAll } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aJob, checkpointsOf } from '../support/readers/api-states.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { aProblem } from '../support/readers/problems.ts';
import { openTemporalCli } from '../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../support/servers/temporal-cli.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import { useWorkingStack } from '../support/servers/working-stack.ts';

const { stack, service, user, runOf, control, until } = useWorkingStack(
  async (config) => await startTestStack(config, {}, { terminatedRunsMs: 50, settledAfterMs: 2_000 }),
);

let temporal: TemporalCli;
beforeAll(async () => (temporal = await openTemporalCli(stack())));

/** A graph with a job, and another one after an approval. */
const twoJobs = aDefinition({
  channels: { log: { reducer: 'append' } },
  output: ['log'],
  nodes: { one: aJob('one'), ask: { type: 'approval', title: 'Go on?' }, two: aJob('two') },
  edges: [
    { from: '__start__', to: 'one' },
    { from: 'one', to: 'ask' },
    { from: 'ask', to: 'two' },
  ],
});

const start = async (threadId: string): Promise<string> => {
  const { body } = await user().post('/api/runs', { graph: twoJobs, input: {}, threadId, onBusy: 'enqueue' });
  return textAt(body, '/id');
};
const failed = async (id: string): Promise<Json> => await user().untilRun(id, hasStatus('failed'), 60_000);
const terminate = async (id: string): Promise<void> => await temporal.terminate(`run:demo:${id}`, 'out of hand');
const waiting = async (): Promise<Json[]> => await readAll(stack().as('approver'), '/api/approvals?status=pending');

describe('a run whose workflow is terminated in Temporal', () => {
  let id: string;
  let next: string;
  let approvalId: string;
  let run: Json;
  beforeAll(async () => {
    id = await start('shared');
    approvalId = textAt(await until(id, 'waiting'), '/waitingFor/0/id');
    next = await start('shared');
    await terminate(id);
    run = await failed(id);
  });

  test('a run whose workflow is terminated in Temporal fails with the person and the reason', async () => {
    expect(at(run, '/error')).toEqual({
      code: 'ABORTED',
      message: expect.stringMatching(/^Terminated in Temporal by .+: out of hand$/),
    });
    expect(run).toMatchObject({ waitingFor: [], output: null, endedAt: expect.any(String) });
    const events = await eventsOf(user(), id);
    expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, n) => n + 1));
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', at: at(run, '/endedAt') });
  });

  test('a run whose workflow is terminated in Temporal cancels its approvals', async () => {
    expect((await waiting()).map((approval) => at(approval, '/id'))).not.toContain(approvalId);
    expect((await stack().as('approver').get(`/api/approvals/${approvalId}`)).body).toMatchObject({
      status: 'canceled',
    });
    const late = await stack().as('approver').post(`/api/runs/${id}/approve`, { approvalId });
    expect(late).toMatchObject(aProblem(409, 'APPROVAL_CANCELED'));
  });

  test('a run whose workflow is terminated in Temporal frees its thread for the next queued run', async () => {
    await until(next, 'waiting');
    expect(await runOf(next)).toMatchObject({ threadId: 'shared' });
  });

  test('a run whose workflow is terminated in Temporal refuses all controls, and can be continued by a fork', async () => {
    expect(await control(id, 'retry')).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
    const newest = (await checkpointsOf(user(), id)).at(-1) ?? null;
    const { body } = await control(id, 'fork', { checkpoint: textAt(newest, '/id') });
    const fork = textAt(body, '/id');
    await until(fork, 'waiting');
    await stack().as('approver').post(`/api/runs/${fork}/approve`, {});
    expect(await until(fork, 'completed')).toMatchObject({ output: { log: ['one', 'two'] } });
  });
});

test('a call that is open when its run is terminated is made once, and no event records its result', async () => {
  const held = service().hold('one');
  const id = await start('other');
  const release = await held;
  await terminate(id);
  expect(await failed(id)).toMatchObject({ error: { code: 'ABORTED' } });
  const before = await eventsOf(user(), id);
  release();
  await until(await start('other'), 'waiting');
  expect(service().done).toEqual(['one', 'one']);
  expect(service().calls).toHaveLength(2);
  expect(await eventsOf(user(), id)).toEqual(before);
}, 120_000);
