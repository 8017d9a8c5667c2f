import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/graph/values/json.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aJob, checkpointsOf } from '../../support/readers/api-states.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { openTemporalCli } from '../../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../../support/servers/temporal-cli.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import { useWorkingStack } from '../../support/servers/working-stack.ts';

/* Operations on workflows in Temporal itself; termination has its own test file. */

const times = { terminatedRunsMs: 100, settledAfterMs: 1_000, lostRunsMs: 500, lostForMs: 1_000 };
const { stack, service, user, runOf, control, until } = useWorkingStack(
  async (config) => await startTestStack(config, {}, times),
);

let temporal: TemporalCli;
beforeAll(async () => (temporal = await openTemporalCli(stack())));

/** A graph with a job before each of two decisions, and one after them. */
const twoDecisions = aDefinition({
  channels: { log: { reducer: 'append' } },
  output: ['log'],
  nodes: {
    one: aJob('one'),
    ask: { type: 'approval', title: 'Go on?' },
    two: aJob('two'),
    sure: { type: 'approval', title: 'Sure?' },
    three: aJob('three'),
  },
  edges: [
    { from: '__start__', to: 'one' },
    { from: 'one', to: 'ask' },
    { from: 'ask', to: 'two' },
    { from: 'two', to: 'sure' },
    { from: 'sure', to: 'three' },
  ],
});
const ALL_JOBS = ['one', 'two', 'three'];

const start = async (threadId: string): Promise<string> => {
  const { body } = await user().post('/api/runs', { graph: twoDecisions, input: {}, threadId, onBusy: 'enqueue' });
  return textAt(body, '/id');
};
/** Approves the pending approval of a run. */
const approve = async (id: string): Promise<unknown> => {
  const approvalId = at(await runOf(id), '/waitingFor/0/id');
  return await stack().as('approver').post(`/api/runs/${id}/approve`, { approvalId });
};
const waitsAt = async (id: string, node: string): Promise<Json> =>
  await user().untilRun(id, (run) => at(run, '/waitingFor/0/node') === node, 30_000);
const failed = async (id: string): Promise<Json> => await user().untilRun(id, hasStatus('failed'), 60_000);
const workflowOf = (id: string): string => `run:demo:${id}`;
const statusInTemporal = async (id: string): Promise<unknown> =>
  at(await temporal.tell('describe', workflowOf(id)), '/workflowExecutionInfo/status');

const TO_THE_BEGINNING = ['--type', 'FirstWorkflowTask'];
const TO_THE_END = ['--type', 'LastWorkflowTask'];
const WITHOUT_SIGNALS = ['--reapply-exclude', 'Signal'];

async function completed(id: string): Promise<void> {
  expect(await until(id, 'completed')).toMatchObject({ output: { log: ALL_JOBS } });
  expect((await eventsOf(user(), id)).map((event) => at(event, '/seq'))).toEqual(
    (await eventsOf(user(), id)).map((_, n) => n + 1),
  );
}

describe('a run whose workflow is reset in Temporal', () => {
  test('a run whose workflow is reset in Temporal continues from the point of the reset', async () => {
    const id = await start('last task');
    await waitsAt(id, 'ask');
    await approve(id);
    await waitsAt(id, 'sure');
    await temporal.reset(workflowOf(id), TO_THE_END);
    await approve(id);
    await completed(id);
    expect(service().done).toEqual(ALL_JOBS);
  }, 60_000);

  test('a run whose workflow is reset to its beginning emits the same events and repeats no call', async () => {
    const id = await start('first task');
    await waitsAt(id, 'ask');
    const before = await eventsOf(user(), id);
    await temporal.reset(workflowOf(id), TO_THE_BEGINNING);
    await expect.poll(async () => at(await temporal.query(workflowOf(id), 'status'), '/status')).toBe('waiting');
    await approve(id);
    await waitsAt(id, 'sure');
    await approve(id);
    await completed(id);
    expect((await eventsOf(user(), id)).slice(0, before.length)).toEqual(before);
    expect(service().done).toEqual(ALL_JOBS);
  }, 60_000);

  test('a run whose workflow is reset during a call continues, and the call is made once', async () => {
    const held = service().hold('one');
    const id = await start('calls');
    const release = await held;
    await temporal.reset(workflowOf(id), TO_THE_BEGINNING);
    release();
    await waitsAt(id, 'ask');
    await approve(id);
    await waitsAt(id, 'sure');
    await approve(id);
    await completed(id);
    expect(service().done).toEqual(ALL_JOBS);
  }, 90_000);

  test('an ended run is unchanged when its workflow is reset in Temporal', async () => {
    const id = await start('ended');
    await waitsAt(id, 'ask');
    await approve(id);
    await waitsAt(id, 'sure');
    await approve(id);
    await completed(id);
    const before = [await runOf(id), await eventsOf(user(), id)];
    await temporal.reset(workflowOf(id), TO_THE_BEGINNING);
    await expect.poll(async () => await statusInTemporal(id), { timeout: 20_000 }).toMatch(/FAILED/);
    expect([await runOf(id), await eventsOf(user(), id)]).toEqual(before);
    expect(service().done).toEqual(ALL_JOBS);
  }, 60_000);

  test('a run that emits other events after a reset than before fails: its journal is kept, its thread is free', async () => {
    const id = await start('otherwise');
    await waitsAt(id, 'ask');
    await approve(id);
    await waitsAt(id, 'sure');
    const before = await eventsOf(user(), id);
    const next = await start('otherwise');
    await temporal.reset(workflowOf(id), [...TO_THE_BEGINNING, ...WITHOUT_SIGNALS]);
    await control(id, 'cancel', { reason: 'no longer wanted' });
    expect(await failed(id)).toMatchObject({
      error: { code: 'ABORTED', message: expect.stringContaining('the workflow was reset in Temporal') },
    });
    const events = await eventsOf(user(), id);
    expect(events.slice(0, -1)).toEqual(before);
    expect(events.at(-1)).toMatchObject({ type: 'run.failed' });
    await waitsAt(next, 'ask');
    expect(service().done).toEqual(['one', 'two', 'one']);
    const newest = (await checkpointsOf(user(), id)).at(-1) ?? null;
    const { body } = await stack()
      .as('admin')
      .post(`/api/runs/${id}/fork`, { checkpoint: textAt(newest, '/id') });
    await waitsAt(textAt(body, '/id'), 'sure');
  }, 90_000);

  test('a terminated run stays failed when its workflow is reset, and another run has its thread', async () => {
    const id = await start('terminated');
    await waitsAt(id, 'ask');
    await temporal.terminate(workflowOf(id), 'out of hand');
    await failed(id);
    const next = await start('terminated');
    await waitsAt(next, 'ask');
    const before = [await runOf(id), await eventsOf(user(), id)];
    await temporal.reset(workflowOf(id), TO_THE_END);
    await temporal.signal(workflowOf(id), 'pause', '--input', '{"signalId":"d1","by":{"sub":"ann","roles":[]}}');
    await expect.poll(async () => await statusInTemporal(id), { timeout: 20_000 }).toMatch(/FAILED/);
    expect([await runOf(id), await eventsOf(user(), id)]).toEqual(before);
    expect(await runOf(next)).toMatchObject({ status: 'waiting' });
  }, 90_000);
});

describe('a run whose workflow is deleted in Temporal', () => {
  test('a run whose workflow is deleted in Temporal fails with a reason and frees its thread', async () => {
    await waitsAt(await start('not deleted'), 'ask');
    const id = await start('deleted');
    await waitsAt(id, 'ask');
    const next = await start('deleted');
    await temporal.delete(workflowOf(id));
    expect(await failed(id)).toMatchObject({ error: { code: 'ABORTED' }, waitingFor: [] });
    await waitsAt(next, 'ask');
    expect(await control(id, 'retry')).toMatchObject(aProblem(409, 'NOT_ALLOWED_NOW'));
  }, 90_000);

  test('an ended run is unchanged when its workflow is deleted in Temporal, and can be forked', async () => {
    const id = await start('kept');
    await waitsAt(id, 'ask');
    await control(id, 'cancel', {});
    await until(id, 'canceled');
    const before = [await runOf(id), await eventsOf(user(), id)];
    await temporal.delete(workflowOf(id));
    expect([await runOf(id), await eventsOf(user(), id)]).toEqual(before);
    const newest = (await checkpointsOf(user(), id)).at(-1) ?? null;
    const fork = textAt((await control(id, 'fork', { checkpoint: textAt(newest, '/id') })).body, '/id');
    await waitsAt(fork, 'ask');
  }, 60_000);
});
