import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { textOf } from '../../../src/graph/definition/message.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { END, START, StateGraph } from '../../../src/index.ts';
import { after, runGraph, scriptedModel } from '../../../src/testing/index.ts';

const asking = new StateGraph({ name: 'asking', channels: { decision: {}, by: {} } })
  .addNode('ask', {
    type: 'approval',
    title: 'Go on?',
    policy: { roles: ['boss'], quorum: 2, excludeRequester: true },
    timeout: '1d',
    write: { decision: '{{ result.decision }}', by: '{{ result.by }}' },
  })
  .addSequence([START, 'ask', END]);

const paying = new StateGraph({ name: 'paying', channels: { paid: {} } })
  .addNode('pay', { type: 'tool', tool: 'pay', args: {}, onError: 'intervene', write: 'paid' })
  .addSequence([START, 'pay', END]);

const waiting = new StateGraph({ name: 'waiting', channels: { got: {} } })
  .addNode('wait', { type: 'wait', event: 'paid', timeout: '2d', write: 'got' })
  .addSequence([START, 'wait', END]);

const failing = {
  effect: 'idempotent',
  retry: { maxAttempts: 1 },
  execute: () => Promise.reject(new Error('no')),
} as const;

describe('decisions in a test run', () => {
  test('decisions in a test run count towards a quorum if each is by another person', async () => {
    const decisions = [
      { node: 'ask', decision: 'approve', by: 'ann' },
      { node: 'ask', decision: 'approve', by: 'bob', after: '1h' },
    ] as const;
    const run = await runGraph(asking, {}, { decisions });
    expect(run).toMatchObject({ status: 'completed', state: { decision: 'approved' }, durationMs: 3_600_000 });
    expect(run.approvals[0]?.decisions.map(({ by }) => by)).toEqual(['ann', 'bob']);
  });

  test('refused decisions in a test run leave it waiting, and its history contains the reason', async () => {
    const decisions = [
      { node: 'ask', decision: 'approve', by: { sub: 'eve', roles: ['user'] } },
      { node: 'ask', decision: 'approve', by: 'requester' },
    ] as const;
    const run = await runGraph(asking, {}, { decisions });
    const reasons = run.events.flatMap((event) => (event.type === 'signal.ignored' ? [event.detail] : []));
    expect(run.status).toBe('waiting');
    expect(reasons).toEqual([
      'This approval is decided by: role boss',
      'Who started or changed the run may not decide this approval',
    ]);
  });

  test('decisions in a test run that come after the time-out have no effect', async () => {
    const decisions = [{ node: 'ask', decision: 'approve', after: '25h' }] as const;
    const run = await runGraph(asking, {}, { decisions });
    expect(run).toMatchObject({ state: { decision: 'expired' }, durationMs: 86_400_000 });
    expect(() => run.assertExhausted()).not.toThrow();
  });

  test('decisions in a test run end an intervention by retry, skip or fail', async () => {
    let tries = 0;
    const execute = () => (tries++ === 0 ? Promise.reject(new Error('no')) : 'paid');
    const retried = {
      tools: { pay: { ...failing, execute } },
      decisions: [{ node: 'pay', decision: 'retry' }],
    } as const;
    expect((await runGraph(paying, {}, retried)).state.paid).toBe('paid');
    const skipped = {
      tools: { pay: failing },
      decisions: [{ node: 'pay', decision: 'skip', output: 'cash' }],
    } as const;
    expect((await runGraph(paying, {}, skipped)).state.paid).toBe('cash');
    const failed = { tools: { pay: failing }, decisions: [{ node: 'pay', decision: 'fail', reason: 'why' }] } as const;
    expect((await runGraph(paying, {}, failed)).error?.message).toContain('given up by approver: why');
  });
});

describe('an agent in a test run', () => {
  const agent = new StateGraph({ name: 'agent', channels: { answer: {} } })
    .addNode('work', {
      type: 'agent',
      prompt: 'Refund A-1',
      tools: ['lookup', 'refund'],
      approve: { refund: 'args.euros > 50.0' },
      write: { answer: '{{ result.text }}' },
    })
    .addSequence([START, 'work', END]);
  const tools = {
    lookup: { effect: 'idempotent', execute: () => ({ total: 80 }) },
    refund: ({ euros }: { euros: number }) => `${euros} paid`,
  } as const;

  test('an agent in a test run calls tools, requests approvals, and uses edited arguments', async () => {
    const model = scriptedModel([
      { toolCalls: [{ tool: 'lookup', args: { order: 'A-1' } }] },
      { toolCalls: [{ tool: 'refund', args: { euros: 80 } }] },
      ({ messages }) => `It said: ${textOf(messages.at(-1)?.content ?? '')}`,
    ]);
    const decisions = [{ node: 'work', tool: 'refund', decision: 'approve', args: { euros: 70 }, by: 'ann' }] as const;
    const run = await runGraph(agent, {}, { models: { default: model }, tools, decisions });
    expect(run.calls.map(({ name }) => name)).toEqual(['default', 'lookup', 'default', 'refund', 'default']);
    expect(run.state.answer).toContain('70 paid');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['lookup', 'refund']);
  });

  test('an agent in a test run calls a model again that has failed', async () => {
    const model = scriptedModel([
      { error: 'overloaded', delay: '5s' },
      { text: 'Done', usage: { inputTokens: 7, outputTokens: 2 } },
    ]);
    const run = await runGraph(agent, {}, { models: { default: model } });
    expect(run).toMatchObject({
      state: { answer: 'Done' },
      usage: { inputTokens: 7, modelCalls: 1 },
      durationMs: 6_000,
    });
  });
});

describe('events and timers in a test run', () => {
  test('events and timers in a test run arrive at their time', async () => {
    const events = [{ name: 'paid', payload: { euros: 5 }, after: '1h' }];
    const run = await runGraph(waiting, {}, { events });
    expect(run).toMatchObject({ status: 'completed', state: { got: { euros: 5 } }, durationMs: 3_600_000 });
  });

  test('events and timers in a test run arrive without waiting if nothing happens before them', async () => {
    const run = await runGraph(waiting, {}, { clock: { start: '2030-05-06T00:00:00Z' } });
    expect(run).toMatchObject({ status: 'completed', durationMs: 2 * 86_400_000 });
    expect(run.events.at(-1)?.at).toBe('2030-05-08T00:00:00.000Z');
  });

  test('a timer in a test run lets an open approval expire if the clock advances that far', async () => {
    expect((await runGraph(asking, {}, { clock: { until: '23h' } })).status).toBe('waiting');
    expect((await runGraph(asking, {}, { clock: { until: '25h' } })).state.decision).toBe('expired');
  });

  test('a timer in a test run fails the run at its deadline', async () => {
    const run = await runGraph(waiting, {}, { limits: { deadline: '10m' } });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' }, durationMs: 600_000 });
  });
});

describe('an approval', () => {
  const asks: NodeDefinition = { type: 'approval', title: 'Go on?', write: {} };
  const pays: NodeDefinition = { type: 'tool', tool: 'pay', args: {} };
  const tool = { name: 'pay', description: 'Pays', parameters: {}, effect: 'unsafe', execute: () => 'paid' } as const;

  test.each<{ what: string; node: NodeDefinition; terms?: { timeout: string }; configured?: string; seconds: number }>([
    { what: 'of a node', node: asks, seconds: 7 * 86_400 },
    { what: 'of a node', node: asks, configured: '30m', seconds: 1_800 },
    { what: 'of a node with a timeout', node: { ...asks, timeout: '2h' }, configured: '30m', seconds: 7_200 },
    { what: 'of a tool', node: pays, configured: '30m', seconds: 1_800 },
    { what: 'of a tool with a timeout', node: pays, terms: { timeout: '2h' }, configured: '30m', seconds: 7_200 },
  ])(
    '$what expires after $seconds s where approvalTimeout is $configured',
    async ({ node, terms = {}, configured, seconds }) => {
      const defaults = configured === undefined ? {} : { approvalTimeout: configured };
      const config = { defaults, tools: [{ ...tool, approval: terms }] };
      const graph = aDefinition({ nodes: { ask: node } });
      const played = async (until: number) => await runGraph(graph, {}, { config, clock: { until: `${until}s` } });
      const expiresAt = new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1_000).toISOString();
      expect((await played(seconds - 1)).approvals).toMatchObject([{ status: 'pending', expiresAt }]);
      expect((await played(seconds + 1)).approvals).toMatchObject([{ status: 'expired' }]);
    },
  );
});

test('a cancellation in a test run ends a running call, and compensates completed ones', async () => {
  const graph = new StateGraph({ name: 'trip' })
    .addNode('book', {
      type: 'tool',
      tool: 'book',
      args: {},
      compensate: { tool: 'refund', args: { id: '{{ result }}' } },
    })
    .addNode('slow', { type: 'tool', tool: 'slow', args: {}, timeout: '1h' })
    .addSequence([START, 'book', 'slow', END]);
  const slow = { effect: 'idempotent', execute: () => after('30m', 1) } as const;
  const signals = [{ signal: 'cancel', payload: { reason: 'rain' }, after: '1m' }];
  const run = await runGraph(graph, {}, { tools: { book: () => 'b1', refund: () => null, slow }, signals });
  expect(run).toMatchObject({ status: 'canceled', durationMs: 60_000 });
  expect(run.calls).toMatchObject([
    { name: 'book' },
    { name: 'slow', error: { code: 'CANCELED' } },
    { name: 'refund', args: { id: 'b1' } },
  ]);
});

test('concurrent calls of a test run overlap on its clock, as many as the graph allows', async () => {
  const graph = new StateGraph({ name: 'each', channels: { done: { reducer: 'append' } } })
    .addNode('one', { type: 'function', function: 'work', args: '{{ item }}', write: { done: '{{ result }}' } })
    .addForEach(START, '[3, 1, 2]', 'one', { maxConcurrency: 2 })
    .addEdge('one', END);
  const work = (seconds: number) => after(`${seconds}s`, seconds);
  const run = await runGraph(graph, {}, { functions: { work } });
  expect(run).toMatchObject({ state: { done: [3, 1, 2] }, durationMs: 3_000, path: ['one', 'one', 'one'] });
  expect(run.calls.map(({ index }) => index)).toEqual([0, 1, 2]);
});

test('the path of a test run has the nodes of a subgraph below its node', async () => {
  const inner = new StateGraph({ name: 'inner', channels: { n: {} } })
    .addNode('leaf', { type: 'set', write: { n: 1 } })
    .addSequence([START, 'leaf', END]);
  const outer = new StateGraph({ name: 'outer' })
    .addNode('sub', { type: 'subgraph', graph: 'inner' })
    .addSequence([START, 'sub', END]);
  const run = await runGraph(outer, {}, { graphs: { inner } });
  expect(run).toMatchObject({ path: ['sub', 'sub/leaf'], steps: [['sub']] });
});
