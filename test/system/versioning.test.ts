import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { UPGRADE } from '../../src/workflows/contract.ts';
import { eventsOf, hasStatus } from '../support/readers/api-runs.ts';
import { aJob } from '../support/readers/api-states.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { executionsOf } from '../support/readers/executions.ts';
import type { History, HistoryEvent } from '../support/readers/executions.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { repeated } from '../support/servers/site.ts';
import { openTemporalCli } from '../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../support/servers/temporal-cli.ts';
import { startVersionedStack } from '../support/servers/versioned-stack.ts';
import type { VersionedStack } from '../support/servers/versioned-stack.ts';
import { makeCurrent, runningOnVersion, upgradeRunsOf, versionsIn } from '../support/servers/worker-versions.ts';

vi.setConfig({ testTimeout: 180_000 });

const PATIENTLY = { interval: 50, timeout: 60_000 };

let stack: VersionedStack;
let temporal: TemporalCli;
beforeAll(async () => {
  stack = await startVersionedStack();
  temporal = await openTemporalCli(stack);
  await makeCurrent(temporal, '1');
});
afterAll(() => stack.stop());

/* The commands are those of docs/versioning.md. */

async function startRun(graph: GraphDefinition): Promise<string> {
  return textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
}

const eventsIn = (history: History | undefined): readonly HistoryEvent[] => history?.events ?? [];

/** The workers that made the calls of an execution, in order; the journal's activities have other ids. */
function callersOf(history: History | undefined): readonly string[] {
  return eventsIn(history).flatMap((event) => event.activityTaskStartedEventAttributes?.identity ?? []);
}

/** Waits until each of a run's executions was processed by the given versions. */
async function untilServedBy(runId: string, ...versions: readonly (readonly string[])[]): Promise<readonly History[]> {
  const versionsNow = async (): Promise<unknown> =>
    (await executionsOf(stack.temporal.workflow, runId)).map((history) => [...versionsIn(history)]);
  await expect.poll(versionsNow, PATIENTLY).toEqual(versions);
  return await executionsOf(stack.temporal.workflow, runId);
}

/** Waits until a run's workflow has handled the upgrade request. */
async function untilAsked(runId: string): Promise<void> {
  const hasWorkedAtIt = async (): Promise<boolean> => {
    const events = eventsIn((await executionsOf(stack.temporal.workflow, runId))[0]);
    const asked = events.findIndex((event) => event.workflowExecutionSignaledEventAttributes?.signalName === UPGRADE);
    return asked >= 0 && events.slice(asked).some((event) => event.workflowTaskCompletedEventAttributes);
  };
  await expect.poll(hasWorkedAtIt, PATIENTLY).toBe(true);
}

const asking = aDefinition({
  nodes: { pay: aJob('pay'), ask: { type: 'approval', title: 'Go on?' }, end: aJob('end') },
});
const working = aDefinition({ nodes: { long: aJob('long'), after: aJob('after') } });

test('waiting runs of an old worker version complete under the new one at once, others after their calls', async () => {
  const user = stack.as('user');
  const [isHeld, waiting, busy] = [stack.service.hold('long'), await startRun(asking), await startRun(working)];
  const release = await isHeld;
  await user.untilRun(waiting, hasStatus('waiting'), PATIENTLY.timeout);

  await makeCurrent(temporal, '2');
  // Only runs that a query finds are asked to upgrade, and a run is found some time after its first workflow task.
  await expect.poll(async () => (await stack.temporal.workflow.count(runningOnVersion('1'))).count, PATIENTLY).toBe(2);
  await upgradeRunsOf(temporal, '1');
  const [, upgraded] = await untilServedBy(waiting, ['1'], ['2']);
  // The new version emits another command, so it can't have replayed the work of the old one.
  expect(eventsIn(upgraded).filter((event) => event.markerRecordedEventAttributes)).toHaveLength(1);
  await untilServedBy(await startRun(asking), ['2']);

  await untilAsked(busy);
  expect(await executionsOf(stack.temporal.workflow, busy)).toHaveLength(1);
  release();
  await user.untilRun(busy, hasStatus('completed'), PATIENTLY.timeout);
  const [first, second] = await untilServedBy(busy, ['1'], ['2']);
  expect(callersOf(second)).not.toContain(callersOf(first)[0]);

  await stack.old.kill();
  const once = { 'idempotency-key': `approve ${waiting}` };
  await repeated(() => stack.as('approver').post(`/api/runs/${waiting}/approve`, {}, once));
  await user.untilRun(waiting, hasStatus('completed'), PATIENTLY.timeout);
  for (const runId of [waiting, busy]) {
    const events = await eventsOf(user, runId);
    expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, before) => before + 1));
    expect(events.filter((event) => at(event, '/type') === 'run.started')).toHaveLength(1);
    expect(events.filter((event) => at(event, '/type') === 'signal.ignored')).toEqual([]);
  }
  expect(stack.service.calls.map(({ job }) => job).toSorted()).toEqual(['after', 'end', 'long', 'pay', 'pay']);
  expect(new Set(stack.service.calls.map(({ key }) => key)).size).toBe(5);
});
