import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { textField } from '../../src/dev/demo/run-ticket.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { askFor, say, toolResultsSentTo, toolsOfferedTo } from '../support/builders/chat-model.ts';
import { startAgentCluster } from '../support/servers/agent-cluster.ts';
import type { AgentCluster } from '../support/servers/agent-cluster.ts';
import type { Cluster } from '../support/servers/cluster.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { at } from '../support/readers/json-at.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';

/*
 * The worker is killed with SIGKILL where a run takes an unusual course: in its last node, and behind nodes that choose
 * where the run continues. The course stays the same, and finished calls are not repeated.
 */

let agents: AgentCluster;
let model: LoopbackServer;
let service: JobService;
let cluster: Cluster;
beforeAll(async () => {
  agents = await startAgentCluster();
  ({ model, service, cluster } = agents);
}, 120_000);
afterAll(async () => await agents.stop(), 60_000);
beforeEach(() => {
  model.forget();
  service.forget();
});

const TIME = 180_000;
/** For `expect.poll`: a killed process takes a while to restart. */
const PATIENTLY = { interval: 50, timeout: 150_000 };

async function start(over: Partial<GraphDefinition>): Promise<string> {
  const graph = toJson(aDefinition(over));
  return textField(await cluster.as('user').post('/api/runs', { graph }), 'id');
}

async function until(id: string, status: string): Promise<Json> {
  const read = async (): Promise<Json> => await cluster.as('user').get(`/api/runs/${id}`);
  await expect.poll(async () => at(await read(), '/status'), PATIENTLY).toBe(status);
  return await read();
}

/** Kills and restarts the worker while the call for a job is open, which the run must make by then. */
async function killDuring(job: string, begin: () => Promise<string>): Promise<string> {
  const held = service.hold(job);
  const id = await begin();
  const release = await held;
  await cluster.victims.worker.kill();
  await cluster.victims.worker.start();
  release();
  return id;
}

const works = (job: string) =>
  ({
    type: 'tool',
    tool: 'work',
    args: { job },
    write: { log: '{{ result.job }}' },
    retry: { maxAttempts: 1 },
  }) as const;

test(
  'a run whose worker is killed during its onFail node ends as failed once the node has finished, and can be retried',
  async () => {
    service.refuse('b');
    const nodes = { a: works('a'), b: works('b'), tell: { ...works('tell'), retry: { maxAttempts: 5 } } };
    const edges = [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'b' },
    ];
    const id = await killDuring('tell', async () => await start({ nodes, edges, onFail: 'tell' }));
    expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TOOL_FAILED', node: 'b' }, next: ['b'] });
    expect(service.done).toEqual(['a', 'tell']);
    await cluster.as('user').post(`/api/runs/${id}/retry`, {});
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['a', 'tell', 'b'] } });
    expect(service.done).toEqual(['a', 'tell', 'b']);
  },
  TIME,
);

test(
  'an agent whose worker is killed between a call and the hand-off of the same turn hands over once, with its note',
  async () => {
    const handoff = ['handoff_to_billing', { note: 'wants money back' }] as const;
    model.answers(askFor([['work', { job: 'a' }], handoff]), say('Paid'));
    const agent = { type: 'agent', messages: 'chat', tools: ['work'] } as const;
    const graph: Partial<GraphDefinition> = {
      channels: {
        chat: { reducer: 'messages', default: [{ role: 'user', content: 'Hi' }] },
        log: { reducer: 'append' },
      },
      nodes: {
        front: { ...agent, handoff: ['billing'], write: { log: '{{ result.handoff }}' } },
        billing: { ...agent, write: { log: '{{ result.text }}' } },
        other: { type: 'set', write: { log: 'other' } },
      },
      edges: [
        { from: '__start__', to: 'front' },
        { from: 'front', to: 'other' },
      ],
      output: ['log'],
    };
    const id = await killDuring('a', async () => await start(graph));
    expect(await until(id, 'completed')).toMatchObject({
      output: { log: [{ to: 'billing', note: 'wants money back' }, 'Paid'] },
      usage: { modelCalls: 2, toolCalls: 1 },
    });
    expect(service.done).toEqual(['a']);
    expect(toolResultsSentTo(model)).toEqual(['{"job":"a"}', 'Handed over to billing. Note: wants money back']);
    expect(toolsOfferedTo(model)).toEqual([['work', 'handoff_to_billing'], ['work']]);
  },
  TIME,
);

test(
  'the elements of a list keep their nodes and their order although the worker is killed while one of them runs',
  async () => {
    const job = (prefix: string) => ({ ...works(`${prefix} {{ item }}`), retry: { maxAttempts: 5 } });
    const graph: Partial<GraphDefinition> = {
      nodes: { even: job('even'), odd: job('odd') },
      edges: [
        {
          from: '__start__',
          forEach: '[1, 2, 3, 4]',
          route: 'int(item) % 2 == 0 ? "even" : "odd"',
          paths: { even: 'even', odd: 'odd' },
        },
      ],
    };
    const id = await killDuring('odd 1', async () => await start(graph));
    expect(await until(id, 'completed')).toMatchObject({ output: { log: ['odd 1', 'even 2', 'odd 3', 'even 4'] } });
    expect(service.done.toSorted()).toEqual(['even 2', 'even 4', 'odd 1', 'odd 3']);
  },
  TIME,
);
