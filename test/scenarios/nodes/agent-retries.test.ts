import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CHANNELS, asks, modelDown, play, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Said } from '../../support/builders/agents.ts';
import { firstLogged, logOf } from '../../support/builders/runs.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const by = { sub: 'ada', roles: ['approver'] };
const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const agent: NodeDefinition = {
  type: 'agent',
  prompt: 'Hello',
  tools: ['lookup', 'charge', 'notify'],
  write: { log: ['{{ result.text }}'] },
};
/** An agent whose model fails once in its second turn. */
const script: readonly Said[] = [asks(look('a'), look('b')), modelDown, asks(look('c')), 'done'];

const isDistinct = (keys: readonly string[]): boolean => new Set(keys).size === keys.length;

describe('an agent that has failed in its second turn', () => {
  test('an agent that has failed in its second turn continues there on a retry, without repeating calls or answers', () => {
    const { run, keys, requests } = playAgent({}, { replies: script });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED', node: 'a' } });
    run.reopen('retry');
    expect(firstLogged(run)).toMatchObject({ text: 'done', iterations: 3 });
    expect(keys).toEqual(['0', '1', '2', '3', '4', '5', '6'].map((number) => `run-1:a:1:${number}:0`));
    expect(requests[2]?.messages).toEqual(requests[1]?.messages);
  });

  test.each(['default', 'spare'])(
    'an agent that has failed in its second turn continues after an intervention with the model %s',
    (model) => {
      const { run, keys } = playAgent({ model, onError: 'intervene' }, { replies: script });
      expect(run.run.status).toBe('waiting');
      run.signal('retry', { by });
      expect([run.run.status, keys.length, isDistinct(keys)]).toEqual(['completed', 7, true]);
    },
  );

  test('an agent that has failed in its second turn may be skipped', () => {
    const { run, keys } = playAgent({}, { replies: script });
    run.reopen('skip', { output: 'mine', by });
    expect([run.run.status, logOf(run), keys.length]).toEqual(['completed', ['mine'], 4]);
  });

  test('an agent that has failed in its second turn begins again after a replan and in a fork', () => {
    const { run, requests } = playAgent({}, { replies: [...script.slice(0, 2), 'new', 'forked'] });
    const [first] = run.checkpoints;
    run.reopen('replan', { node: 'a', by });
    expect(requests[2]?.messages).toHaveLength(1);
    const fork = run.fork(first?.id ?? '');
    expect('run' in fork && logOf(fork)).toEqual([expect.objectContaining({ text: 'forked' })]);
  });

  test('an agent that has failed in its second turn is diverted by its onError', () => {
    const nodes: GraphDefinition['nodes'] = {
      a: { ...agent, onError: { to: 'b', write: { log: '{{ error.code }}' } } },
      b: { type: 'set', write: { log: 'b' } },
    };
    const { run } = play({ replies: script.slice(0, 2), graph: { nodes, edges: [{ from: '__start__', to: 'a' }] } });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['MODEL_FAILED', 'b']]);
  });
});

describe('an agent that has failed in its second turn continues', () => {
  const inner: GraphDefinition = {
    name: 'inner',
    channels: CHANNELS,
    nodes: { a: agent },
    edges: [{ from: '__start__', to: 'a' }],
    output: ['log'],
  };

  test.each<[string, Partial<GraphDefinition>, number]>([
    ['inside a subgraph', { nodes: { s: { type: 'subgraph', graph: inner, write: { log: '{{ result.log }}' } } } }, 1],
    [
      'in a loop',
      {
        nodes: { a: { ...agent, maxVisits: 2 } },
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', branches: [{ when: 'size(state.log) < 2', to: 'a' }] },
        ],
      },
      2,
    ],
    [
      'among the elements of a list',
      { nodes: { a: agent }, edges: [{ from: '__start__', forEach: '[1, 2]', to: 'a', maxConcurrency: 1 }] },
      2,
    ],
  ])('an agent that has failed in its second turn continues there %s', (_name, graph, times) => {
    const replies = [...script, ...Array.from({ length: times - 1 }, (): Said[] => [asks(look('x')), 'done']).flat()];
    const { run, keys } = play({ replies: order(replies, graph), graph });
    expect(run.run.status).toBe('failed');
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', Array.from({ length: times }, () => 'done')]);
    expect(isDistinct(keys)).toBe(true);
  });
});

/** The other element of a list has finished before the run fails. */
function order(replies: readonly Said[], { edges = [] }: Partial<GraphDefinition>): readonly Said[] {
  return edges.some((edge) => 'forEach' in edge)
    ? [...replies.slice(0, 2), ...replies.slice(4), ...replies.slice(2, 4)]
    : replies;
}

describe('the progress of a failed agent', () => {
  test('the progress of an agent is kept if the budget is used up before the next model call', () => {
    const long = (): string => 'x'.repeat(2_000);
    const graph = { limits: { maxTokens: 100_000 } };
    const { run, keys } = playAgent(
      {},
      { replies: [asks(look('a')), 'done'], limits: { maxTokens: 200 }, graph, tool: long },
    );
    expect(run.run.error).toMatchObject({ code: 'BUDGET_EXCEEDED', node: 'a' });
    run.reopen('retry', { limits: { maxTokens: 100_000 } });
    expect([run.run.status, keys.length, isDistinct(keys)]).toEqual(['completed', 3, true]);
    expect(run.run.spent).toMatchObject({ modelCalls: 2, toolCalls: 1 });
  });

  test('the progress of an agent is kept if the model requests more calls than the budget allows', () => {
    const { run, keys, calls } = playAgent(
      {},
      {
        replies: [asks(look('a'), look('b')), 'done'],
        limits: { maxToolCalls: 1 },
        graph: { limits: { maxToolCalls: 9 } },
      },
    );
    expect([run.run.error?.code, calls.length]).toEqual(['BUDGET_EXCEEDED', 0]);
    run.reopen('retry', { limits: { maxToolCalls: 2 } });
    expect([run.run.status, keys.length, isDistinct(keys)]).toEqual(['completed', 4, true]);
  });

  test('the progress of an agent is kept if another node has failed', () => {
    const nodes: GraphDefinition['nodes'] = { a: agent, b: { type: 'tool', tool: 'charge', args: { key: 'bad' } } };
    let isBad = true;
    const tool = ({ tool: name, args }: { tool: string; args: Json }): Json => {
      if (name !== 'charge' || !isBad) return JSON.stringify(args);
      isBad = false;
      throw new CallFailure('TOOL_FAILED', 'no');
    };
    const { run, keys } = play({
      replies: [asks(look('a')), 'done'],
      tool,
      graph: { nodes, edges: [{ from: '__start__', to: ['a', 'b'] }] },
    });
    expect([run.run.status, keys.length]).toEqual(['failed', 4]);
    run.reopen('retry');
    expect([run.run.status, keys.length, isDistinct(keys), logOf(run)]).toEqual(['completed', 5, true, ['done']]);
  });

  test('the progress of an agent is kept if the deadline of the run expires during open calls, which then return', () => {
    const clock = aSlowTool();
    const played = playAgent(
      {},
      {
        replies: [asks(look('a'), look('b')), 'done'],
        graph: { limits: { deadline: '1m' } },
        outside: { next: clock.next },
      },
    );
    played.run.passTime(61_000);
    expect(played.run.run).toMatchObject({
      status: 'running',
      phase: { kind: 'failing', error: { code: 'DEADLINE_EXCEEDED' } },
    });
    clock.release();
    played.run.passTime(1);
    expect([played.run.run.status, played.keys.length]).toEqual(['failed', 3]);
    played.run.reopen('retry');
    expect([played.run.run.status, played.keys.length, isDistinct(played.keys)]).toEqual(['completed', 4, true]);
    expect(toolResultsIn(played)).toEqual(['a', 'b']);
    expect(played.run.run.spent).toMatchObject({ modelCalls: 2, toolCalls: 2 });
  });

  test('the progress of an agent is kept if its own deadline expires, and a retry restarts the deadline', () => {
    const clock = aSlowTool();
    const { run, keys } = playAgent(
      { deadline: '10s' },
      { replies: [asks(look('a')), 'done'], outside: { next: clock.next } },
    );
    run.passTime(11_000);
    clock.release();
    run.passTime(1);
    expect(run.run.error).toMatchObject({ code: 'TIMEOUT', message: "The agent's deadline of 10000 ms is over" });
    run.reopen('retry');
    expect([run.run.status, keys.length, isDistinct(keys)]).toEqual(['completed', 3, true]);
  });

  /** An agent whose deadline expired before its calls returned, one of them with an unknown outcome. */
  function playLate(onError: NonNullable<Agent['onError']>): Played {
    const clock = aSlowTool();
    const played = playAgent(
      { deadline: '10s', tools: ['lookup', 'notify'], onError },
      {
        replies: [asks(look('a'), ['notify', { key: 'b' }], look('c')), 'done'],
        tools: { notify: { approval: 'never' } },
        graph: { limits: { maxConcurrency: 2 } },
        outside: { next: clock.next },
        tool: ({ tool, args }) => {
          if (tool === 'notify' && clock.isFirst()) throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
          return JSON.stringify(args);
        },
      },
    );
    played.run.passTime(11_000);
    clock.release();
    played.run.passTime(1);
    return played;
  }

  test.each<NonNullable<Agent['onError']>>(['intervene', { to: '__end__' }])(
    'the progress of an agent is kept if its own deadline is over, and other calls return only then (onError: %j)',
    (onError) => {
      const played = playLate(onError);
      expect(played.run.run.status).toBe('waiting');
      played.run.signal('retry', { by });
      expect(played.calls.map(({ tool }) => tool)).toEqual(['lookup', 'notify', 'lookup']);
      played.run.signal('skip', { output: 'sent', by });
      expect(toolResultsIn(played)).toEqual(['{"key":"a"}', 'sent', '{"key":"c"}']);
    },
  );
});

/** Tools that answer when they are released. */
function aSlowTool() {
  let isHeld = true;
  let count = 0;
  return {
    next: (out: readonly CallEffect[]): number | null => (isHeld && out[0]?.request.kind === 'tool' ? null : 0),
    release: (): void => {
      isHeld = false;
    },
    isFirst: (): boolean => count++ === 0,
  };
}
