import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { checkpointsOf } from '../support/readers/api-states.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { aProblem } from '../support/readers/problems.ts';
import { openBackups } from '../support/servers/backups.ts';
import type { Backups } from '../support/servers/backups.ts';
import { PATIENTLY, aCall, repeated, startSite } from '../support/servers/site.ts';
import type { Site } from '../support/servers/site.ts';
import { openTemporalCli } from '../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../support/servers/temporal-cli.ts';

/* The two databases are backed up, lost, and restored: both to the same moment, or one of them to an earlier one. */

vi.setConfig({ testTimeout: 400_000, hookTimeout: 200_000 });

let site: Site;
let backups: Backups;
let temporal: TemporalCli;
beforeAll(async () => {
  site = await startSite({ tool: {}, models: (scripted) => ({ default: scripted }) });
  backups = await openBackups(site);
  temporal = await openTemporalCli({ temporalAddress: site.deployment.temporal.address });
});
afterAll(async () => {
  await backups.remove();
  await site.stop();
});

/** Starts a run with a job before each of two decisions, and one after them. */
const startRun = async (name: string): Promise<string> => {
  const graph = aDefinition({
    nodes: {
      one: aCall('keyed', `${name} one`),
      ask: { type: 'approval', title: 'Go on?' },
      two: aCall('keyed', `${name} two`),
      sure: { type: 'approval', title: 'Sure?' },
      three: aCall('keyed', `${name} three`),
    },
    edges: [
      { from: '__start__', to: 'one' },
      { from: 'one', to: 'ask' },
      { from: 'ask', to: 'two' },
      { from: 'two', to: 'sure' },
      { from: 'sure', to: 'three' },
    ],
  });
  return textAt((await site.user.post('/api/runs', { graph })).body, '/id');
};
const until = async (id: string, isWanted: (run: Json) => boolean): Promise<Json> =>
  await site.user.untilRun(id, isWanted, PATIENTLY.timeout);
const waitsAt = async (id: string, node: string): Promise<Json> =>
  await until(id, (run) => at(run, '/waitingFor/0/node') === node);
const ended = async (id: string, status: string): Promise<Json> =>
  await until(id, (run) => at(run, '/status') === status);
/** Approves the pending approval of a run. A worker that has just restarted may respond late. */
const approve = async (id: string): Promise<void> => {
  const approvalId = at((await site.user.get(`/api/runs/${id}`)).body, '/waitingFor/0/id');
  const once = { 'idempotency-key': randomUUID() };
  await repeated(async () => await site.approver.post(`/api/runs/${id}/approve`, { approvalId }, once));
};
const approveAll = async (id: string): Promise<void> => {
  for (const node of ['ask', 'sure']) {
    await waitsAt(id, node);
    await approve(id);
  }
  await ended(id, 'completed');
};
const workflowOf = (id: string): string => `run:demo:${id}`;
const fork = async (id: string): Promise<string> => {
  const newest = (await checkpointsOf(site.user, id)).at(-1) ?? null;
  const forked = await site.deployment.as('admin').post(`/api/runs/${id}/fork`, { checkpoint: textAt(newest, '/id') });
  return textAt(forked.body, '/id');
};

test('when Temporal and the store are restored to the same moment, waiting and calling runs continue, and no call is made twice', async () => {
  const waiting = await startRun('waits');
  await waitsAt(waiting, 'ask');
  const held = site.service.hold('calls one');
  const calling = await startRun('calls');
  const release = await held;
  await backups.whileStopped(async () => {
    release();
    await backups.dumpStore('both');
    await backups.copyTemporal('both');
  });
  await approveAll(waiting);
  await approveAll(calling);
  await backups.whileStopped(async () => {
    await backups.restoreStore('both');
    await backups.restoreTemporal('both');
  });
  await approveAll(waiting);
  await approveAll(calling);
  expect(site.service.done.toSorted()).toEqual(
    ['calls', 'waits'].flatMap((name) => ['one', 'three', 'two'].map((job) => `${name} ${job}`)),
  );
});

describe('a store restored to an earlier moment than Temporal', () => {
  let wentOn: string;
  let hasEnded: string;
  let unknown: string;
  beforeAll(async () => {
    wentOn = await startRun('went on');
    hasEnded = await startRun('has ended');
    for (const id of [wentOn, hasEnded]) await waitsAt(id, 'ask');
    await backups.dumpStore('earlier');
    await approve(wentOn);
    await waitsAt(wentOn, 'sure');
    await approveAll(hasEnded);
    unknown = await startRun('unknown');
    await waitsAt(unknown, 'ask');
    await backups.whileStopped(async () => await backups.restoreStore('earlier'));
  });

  test("a run that ended after the moment of the store's backup fails with a reason, and can be forked at its stored checkpoints", async () => {
    expect(await ended(hasEnded, 'failed')).toMatchObject({
      error: { code: 'ABORTED', message: expect.stringContaining('completed in Temporal') },
    });
    await approveAll(await fork(hasEnded));
  });

  test("a run that began after the moment of the store's backup is unknown; its workflow exists and can only be terminated", async () => {
    expect(await site.user.get(`/api/runs/${unknown}`)).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
    await temporal.terminate(workflowOf(unknown), 'its store is lost');
  });

  test("a run that continued after the moment of the store's backup accepts no decision; once terminated, it fails and continues as a fork", async () => {
    expect(await site.user.get(`/api/runs/${wentOn}`)).toMatchObject({ body: { waitingFor: [{ node: 'ask' }] } });
    await temporal.terminate(workflowOf(wentOn), 'its store was restored');
    expect(await ended(wentOn, 'failed')).toMatchObject({ error: { code: 'ABORTED' } });
    await approveAll(await fork(wentOn));
  });
});

describe('Temporal restored to an earlier moment than the store', () => {
  let called: string;
  let wentOn: string;
  let hasEnded: string;
  let unknown: string;
  beforeAll(async () => {
    const held = site.service.hold('called since one');
    called = await startRun('called since');
    const release = await held;
    wentOn = await startRun('was decided');
    hasEnded = await startRun('was completed');
    // Temporal also has a run that continues, so it is recognized as the same server.
    const stays = await startRun('waits all along');
    for (const id of [wentOn, hasEnded, stays]) await waitsAt(id, 'ask');
    await backups.whileStopped(async () => {
      release();
      await backups.copyTemporal('earlier');
    });
    await waitsAt(called, 'ask');
    await approve(wentOn);
    await waitsAt(wentOn, 'sure');
    await approveAll(hasEnded);
    unknown = await startRun('begun since');
    await waitsAt(unknown, 'ask');
    await backups.whileStopped(async () => await backups.restoreTemporal('earlier'));
  });

  test("a run that made calls after the moment of Temporal's backup finds them in the ledger, emits the same events and continues", async () => {
    await expect
      .poll(async () => await temporal.query(workflowOf(called), 'status'), PATIENTLY)
      .toMatchObject({ waitingFor: [{ node: 'ask' }] });
    await approveAll(called);
    expect(site.service.done.filter((job) => job === 'called since one')).toHaveLength(1);
  });

  test("a run that was decided after the moment of Temporal's backup fails at the next decision, and continues as a fork", async () => {
    const approvalId = textAt(await waitsAt(wentOn, 'sure'), '/waitingFor/0/id');
    await site.approver.post(`/api/runs/${wentOn}/approve`, { approvalId });
    expect(await ended(wentOn, 'failed')).toMatchObject({
      error: { code: 'ABORTED', message: expect.stringContaining('The journal has other events') },
    });
    const forked = await fork(wentOn);
    await waitsAt(forked, 'sure');
    await approve(forked);
    await ended(forked, 'completed');
  });

  test("a run that ended after the moment of Temporal's backup is unchanged", async () => {
    expect(await site.user.get(`/api/runs/${hasEnded}`)).toMatchObject({ body: { status: 'completed' } });
  });

  test("a run that began after the moment of Temporal's backup fails with a reason, and continues as a fork", async () => {
    expect(await ended(unknown, 'failed')).toMatchObject({
      error: { code: 'ABORTED', message: expect.stringContaining('Temporal has no workflow of the run') },
    });
    await approveAll(await fork(unknown));
  });
});
