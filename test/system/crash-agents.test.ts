import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textField } from '../../src/dev/demo/run-ticket.ts';
import type { GraphDefinition, NodeOfType } from '../../src/graph/definition/definition.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aGraphOf } from '../support/readers/api-runs.ts';
import { askFor, requestsOf, say, toolResultsSentTo } from '../support/builders/chat-model.ts';
import { startAgentCluster } from '../support/servers/agent-cluster.ts';
import type { AgentCluster } from '../support/servers/agent-cluster.ts';
import type { Cluster, VictimName } from '../support/servers/cluster.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { at } from '../support/readers/json-at.ts';
import { silence } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import { openTemporalCli } from '../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../support/servers/temporal-cli.ts';

/*
 * Processes are killed with SIGKILL in the middle of an agent's turn. Finished calls are not repeated, which the third
 * parties confirm; the model receives everything in order; and the agent completes.
 */

let agents: AgentCluster;
let model: LoopbackServer;
let service: JobService;
let cluster: Cluster;
let temporal: TemporalCli;
beforeAll(async () => {
  agents = await startAgentCluster();
  ({ model, service, cluster } = agents);
  temporal = await openTemporalCli(cluster);
}, 120_000);
afterAll(async () => await agents.stop(), 60_000);
beforeEach(() => {
  model.forget();
  service.forget();
});

const TIME = 180_000;
/** For `expect.poll`: a killed process takes a while to restart. */
const PATIENTLY = { interval: 50, timeout: 150_000 };

async function start(over: Partial<NodeOfType<'agent'>> = {}, graph: Partial<GraphDefinition> = {}): Promise<string> {
  const definition = aGraphOf({ type: 'agent', prompt: 'Do it.', tools: ['work', 'send'], ...over }, graph);
  return textField(await cluster.as('user').post('/api/runs', { graph: toJson(definition) }), 'id');
}

const runOf = async (id: string): Promise<Json> => await cluster.as('user').get(`/api/runs/${id}`);

async function until(id: string, status: string): Promise<Json> {
  await expect.poll(async () => at(await runOf(id), '/status'), PATIENTLY).toBe(status);
  return await runOf(id);
}

async function killAndStart(victims: readonly VictimName[]): Promise<void> {
  await Promise.all(victims.map(async (victim) => await cluster.victims[victim].kill()));
  for (const victim of victims) await cluster.victims[victim].start();
}

/** The number of requests for each job. */
function timesAsked(): Record<string, number> {
  const jobs = service.calls.map(({ job }) => job);
  return Object.fromEntries(jobs.toSorted().map((job) => [job, jobs.filter((other) => other === job).length]));
}

const work = (job: string) => ['work', { job }] as const;
const ANSWERS = ['{"job":"a"}', '{"job":"b"}', '{"job":"c"}'];
const VICTIMS: readonly (readonly VictimName[])[] = [['worker'], ['worker', 'temporal']];

describe('a worker that is killed', () => {
  test(
    'a worker that is killed between two calls of a turn does not cause a repetition of the finished call',
    async () => {
      model.answers(askFor([work('a'), work('b'), work('c')]), say('Done'));
      const held = service.hold('b');
      const id = await start({}, { limits: { maxConcurrency: 1 } });
      const release = await held;
      await killAndStart(['worker']);
      release();
      expect(await until(id, 'completed')).toMatchObject({
        output: { answer: { text: 'Done', iterations: 2 } },
        usage: { modelCalls: 2, toolCalls: 3 },
      });
      expect(timesAsked()).toEqual({ a: 1, b: 2, c: 1 });
      expect(service.done).toEqual(['a', 'b', 'c']);
      expect(toolResultsSentTo(model)).toEqual(ANSWERS);
    },
    TIME,
  );

  test.each(VICTIMS.map((victims) => ({ victims, who: victims.join(' and ') })))(
    "the order of a turn's answers does not change when the worker is killed while the first of three calls is open (killed: $who)",
    async ({ victims }) => {
      model.answers(askFor([work('a'), work('b'), work('c')]), say('Done'));
      const held = service.hold('a');
      const id = await start();
      const release = await held;
      const isKnown = async (): Promise<Json | undefined> =>
        at(await temporal.query(`run:demo:${id}`, 'status'), '/usage/toolCalls');
      await expect.poll(isKnown, PATIENTLY).toBe(2);
      await killAndStart(victims);
      release();
      await until(id, 'completed');
      expect(timesAsked()).toEqual({ a: 2, b: 1, c: 1 });
      expect(service.done.toSorted()).toEqual(['a', 'b', 'c']);
      expect(toolResultsSentTo(model)).toEqual(ANSWERS);
    },
    TIME,
  );

  test(
    'a worker that is killed during the model call of the second turn sends the model the same request again, and repeats no tool call',
    async () => {
      const asked = silence();
      model.answers(askFor([work('a'), work('b')]), asked.answer, say('Done'));
      const id = await start();
      await asked.asked;
      await killAndStart(['worker']);
      expect(await until(id, 'completed')).toMatchObject({ usage: { modelCalls: 2, toolCalls: 2 } });
      const [, lost, again, ...more] = requestsOf(model);
      expect(again).toEqual(lost);
      expect(more).toEqual([]);
      expect(timesAsked()).toEqual({ a: 1, b: 1 });
    },
    TIME,
  );

  test(
    'a call that waits for its approval is made as approved although the worker is killed meanwhile',
    async () => {
      model.answers(askFor([work('a'), work('b')]), say('Done'));
      const id = await start({ approve: { work: "args.job == 'a'" } });
      await until(id, 'waiting');
      await killAndStart(['worker']);
      await cluster.as('approver').post(`/api/runs/${id}/approve`, { args: { job: 'less' } });
      await until(id, 'completed');
      expect(timesAsked()).toEqual({ b: 1, less: 1 });
      expect(toolResultsSentTo(model)).toEqual([expect.stringContaining('{"job":"less"}'), '{"job":"b"}']);
    },
    TIME,
  );
});

describe('an unsafe call that was open when the worker was killed', () => {
  /** @returns the run, which waits until a person supplies the outcome of the call */
  async function startLosing(): Promise<string> {
    model.answers(askFor([['send', { job: 'a' }], work('b')]), say('Done'));
    const held = service.hold('a');
    const id = await start();
    const release = await held;
    await expect.poll(() => service.done, PATIENTLY).toEqual(['b']);
    await killAndStart(['worker']);
    release();
    const run = await until(id, 'waiting');
    expect(run).toMatchObject({ waitingFor: [{ kind: 'intervention', node: 'only' }], usage: { modelCalls: 1 } });
    expect(service.calls.filter(({ job }) => job === 'a')).toHaveLength(1);
    return id;
  }

  test(
    'an unsafe call that was open when the worker was killed is made again under its key by the retry of a person',
    async () => {
      const id = await startLosing();
      await cluster.as('user').post(`/api/runs/${id}/retry`, {});
      expect(await until(id, 'completed')).toMatchObject({ output: { answer: { text: 'Done' } } });
      const keys = service.calls.filter(({ job }) => job === 'a').map(({ key }) => key);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
      expect(toolResultsSentTo(model)).toEqual(['{"job":"a"}', '{"job":"b"}']);
    },
    TIME,
  );

  test(
    'an unsafe call that was open when the worker was killed is not made again when a person supplies its outcome',
    async () => {
      const id = await startLosing();
      await cluster.as('user').post(`/api/runs/${id}/skip`, { node: 'only', output: { seen: true } });
      expect(await until(id, 'completed')).toMatchObject({ output: { answer: { text: 'Done', iterations: 2 } } });
      expect(service.calls.filter(({ job }) => job === 'a')).toHaveLength(1);
      expect(toolResultsSentTo(model)).toEqual(['{"seen":true}', '{"job":"b"}']);
    },
    TIME,
  );
});
