import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { startJobService } from '../../support/doubles/job-service.ts';
import type { JobService } from '../../support/doubles/job-service.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { aJob } from '../../support/readers/api-states.ts';
import { inTime } from '../../support/readers/in-time.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { startLossyStack } from '../../support/servers/lossy-stack.ts';
import type { LossyStack } from '../../support/servers/lossy-stack.ts';
import type { HeldRequest } from '../../support/servers/temporal-proxy.ts';

/*
 * A call is made and recorded, but its result reaches the server only after the server has timed it out: ten seconds
 * after the deadline of its node, and before it detects a lost worker. The tests run concurrently because they mostly
 * wait.
 */

let service: JobService;
let stack: LossyStack;
beforeAll(async () => {
  service = await startJobService();
  stack = await startLossyStack({
    tools: [aToolOf(service), aToolOf(service, { name: 'strike', effect: 'unsafe' })],
    http: { allow: [service.address] },
    defaults: { heartbeatTimeout: '60s' },
  });
});
afterAll(async () => {
  await stack.stop();
  await service.stop();
});

const user = (): ReturnType<LossyStack['as']> => stack.as('user');
const { control } = createRunControls(user);
const until = async (id: string, ...statuses: readonly string[]): Promise<Json> =>
  await user().untilRun(id, hasStatus(...statuses), PATIENCE_MS);

/** Long enough for the call on a busy machine. */
const deadline = '15s';
/** Enough time for the events after the deadline. */
const PATIENCE_MS = 90_000;
const LONG = { timeout: 3 * PATIENCE_MS };
const compensate = { tool: 'work', args: { job: 'undo {{ result.job }}' } };

/** A run whose call `pay` is recorded, but not reported to the server. */
interface Unheard {
  readonly id: string;
  /** The jobs whose names contain the name of the run's call. */
  readonly jobs: () => readonly string[];
  /** Waits until a completed activity of a type, which has the call's result, is on its way to the server. */
  readonly hold: (type: string) => Promise<HeldRequest>;
  /** Breaks the connection with the report of the call. */
  readonly letGo: () => void;
}

let runs = 0;

/** @param graphOf builds the graph from the name of the call's job */
async function startUnheard(graphOf: (job: string) => Partial<GraphDefinition>): Promise<Unheard> {
  const job = `pay-${++runs}`;
  const hold = async (type: string): Promise<HeldRequest> => {
    const held = stack.proxy.hold(
      ({ method, mentions }) => method === 'RespondActivityTaskCompleted' && mentions(type, `"job":"${job}"`),
    );
    const calls = (): string => service.calls.map((call) => call.job).join(', ');
    return await inTime(held, PATIENCE_MS, () => `the end of ${type} for ${job}; the calls were ${calls()}`);
  };
  const held = hold('callTool');
  const id = textAt((await user().post('/api/runs', { graph: aDefinition(graphOf(job)) })).body, '/id');
  const { drop } = await held;
  const jobs = (): readonly string[] => service.calls.map((call) => call.job).filter((name) => name.endsWith(job));
  return { id, jobs, hold, letGo: drop };
}

const undone = async (id: string) => await eventsOf(user(), id, 'node.compensated');

describe.concurrent('a call that Temporal times out because its result was lost', LONG, () => {
  test('a call that Temporal times out because its result was lost is answered by the ledger, and compensated when its run fails later', async () => {
    const { id, jobs, letGo } = await startUnheard((job) => {
      service.refuse(`next ${job}`);
      return { nodes: { pay: aJob(job, { deadline, compensate }), next: aJob(`next ${job}`) } };
    });
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TOOL_FAILED', node: 'next' } });
    letGo();
    expect(await undone(id)).toMatchObject([{ node: 'pay', tool: 'work' }]);
    expect(jobs()).toEqual([
      expect.stringMatching(/^pay/),
      expect.stringMatching(/^next/),
      expect.stringMatching(/^undo/),
    ]);
  });

  test('an unsafe call that Temporal times out because its result was lost is answered by the ledger without an intervention', async () => {
    const { id, jobs, letGo } = await startUnheard((job) => ({
      nodes: { pay: aJob(job, { tool: 'strike', deadline }) },
    }));
    expect(await until(id, 'completed', 'waiting', 'failed')).toMatchObject({ status: 'completed' });
    letGo();
    expect(await eventsOf(user(), id, 'tool.called')).toMatchObject([{ result: { job: jobs()[0] } }]);
    expect(jobs()).toHaveLength(1);
  });

  test('a call whose result was lost is compensated when its run is canceled while the ledger is read', async () => {
    const { id, jobs, hold, letGo } = await startUnheard((job) => ({
      nodes: { pay: aJob(job, { deadline, compensate }), ask: { type: 'approval', title: 'Go on?' } },
    }));
    const answer = await hold('reconcileCall');
    await control(id, 'cancel');
    await answer.deliver();
    await until(id, 'canceled');
    letGo();
    expect(await undone(id)).toMatchObject([{ node: 'pay', tool: 'work' }]);
    expect(jobs()).toHaveLength(2);
  });

  test('a call whose result was lost is compensated when the deadline of the surrounding graph passes meanwhile', async () => {
    const { id, jobs, letGo } = await startUnheard((job) => {
      const graph = aDefinition({ name: 'child', nodes: { pay: aJob(job, { deadline, compensate }) } });
      return { nodes: { sub: { type: 'subgraph', graph, deadline } } };
    });
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TIMEOUT', node: 'sub' } });
    letGo();
    expect(await undone(id)).toMatchObject([{ node: 'pay', tool: 'work' }]);
    expect(jobs()).toHaveLength(2);
  });
});
