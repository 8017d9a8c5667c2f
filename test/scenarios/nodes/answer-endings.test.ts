import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { asks, play, playAgent, says } from '../../support/builders/agents.ts';
import type { Agent, Said } from '../../support/builders/agents.ts';
import { firstLogged, logOf, typesOf } from '../../support/builders/runs.ts';

const by = { sub: 'ada', roles: ['approver'] };
const look = (key: string): readonly [string, Json] => ['lookup', { key }];

const NODES: Readonly<Record<'llm' | 'agent', NodeDefinition>> = {
  llm: { type: 'llm', messages: 'chat', write: { log: ['{{ result }}'] } },
  agent: { type: 'agent', messages: 'chat', tools: [], write: { log: ['{{ result }}'] } },
};

describe.each(['llm', 'agent'] as const)('the result of a node of type %s', (type) => {
  const playOne = (answer: Said) =>
    play({
      replies: [answer, 'again'],
      graph: {
        nodes: { a: NODES[type], b: { type: 'set', write: { log: ['cut off'] } } },
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', branches: [{ when: "state.log[0].finishReason == 'length'", to: 'b' }, { to: '__end__' }] },
        ],
        channels: { log: { reducer: 'append' }, chat: { reducer: 'messages', default: [] } },
      },
    }).run;

  test.each(['stop', 'length', 'other'] as const)(
    'the result of a model node has the finish reason %s',
    (finishReason) => {
      expect(firstLogged(playOne(says('You get', { finishReason })))).toMatchObject({ finishReason });
    },
  );

  test('an edge can branch on the finish reason of a model node whose answer is cut off', () => {
    expect(logOf(playOne(says('You get back 1', { finishReason: 'length' })))).toEqual([expect.anything(), 'cut off']);
    expect(logOf(playOne('You get back 100.'))).toEqual([expect.anything()]);
  });

  test.each([
    ['stop', undefined],
    ['tool-calls', undefined],
    ['length', 'length'],
    ['other', 'other'],
  ] as const)('a model node marks its message for the finish reason %s with %s', (finishReason, marked) => {
    const run = playOne(says('Hi', { finishReason }));
    expect(firstLogged(run)).toMatchObject({ message: marked === undefined ? {} : { finishReason: marked } });
    const [message] = Array.isArray(run.run.root.channels['chat']) ? run.run.root.channels['chat'] : [];
    expect(message).toHaveProperty('content', 'Hi');
    expect(message?.['finishReason']).toBe(marked);
  });
});

describe('an agent that has called tools in all its turns', () => {
  const replies: readonly Said[] = [asks(look('a')), asks(look('b')), asks(look('c')), 'done'];
  const playTurns = (over: Agent, given = replies) => playAgent({ maxIterations: 2, ...over }, { replies: given }).run;

  test.each<Agent>([{}, { onMaxIterations: 'answer' }])(
    'an agent that has called tools in all its turns answers without tools with %o',
    (over) => {
      expect(firstLogged(playTurns(over, [...replies.slice(0, 2), 'done']))).toMatchObject({
        text: 'done',
        finishReason: 'stop',
        iterations: 2,
        iterationsExhausted: true,
      });
    },
  );

  test('an agent that answers in its last turn has not exceeded maxIterations', () => {
    const result = { text: 'done', iterations: 2, iterationsExhausted: false };
    expect(firstLogged(playTurns({}, [asks(look('a')), 'done']))).toMatchObject(result);
    expect(firstLogged(playTurns({ onMaxIterations: 'fail' }, [asks(look('a')), 'done']))).toMatchObject(result);
  });

  test('an agent that has called tools in all its turns fails with onMaxIterations "fail", and gets as many turns again by a retry', () => {
    const run = playTurns({ onMaxIterations: 'fail' });
    expect(run.run).toMatchObject({
      status: 'failed',
      error: { code: 'MODEL_FAILED', node: 'a', cause: { code: 'max_iterations' } },
    });
    expect(typesOf(run).filter((type) => type === 'tool.called')).toHaveLength(2);
    run.reopen('retry');
    expect(firstLogged(run)).toMatchObject({ text: 'done', iterations: 4, iterationsExhausted: false });
  });

  test('an agent whose onMaxIterations is fail fails again after a retry that has used up its turns, too', () => {
    const run = playTurns({ onMaxIterations: 'fail' }, [...replies.slice(0, 3), asks(look('d'))]);
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'failed', error: { cause: { code: 'max_iterations' } } });
  });

  test('the onError of an agent handles the failure that onMaxIterations "fail" causes', () => {
    const a: NodeDefinition = {
      type: 'agent',
      prompt: 'Hello',
      tools: ['lookup'],
      maxIterations: 1,
      onMaxIterations: 'fail',
      onError: { to: 'b', write: { log: '{{ error.code }}' } },
    };
    const nodes = { a, b: { type: 'set', write: { log: 'b' } } } as const;
    const { run } = play({ replies, graph: { nodes, edges: [{ from: '__start__', to: 'a' }] } });
    expect(logOf(run)).toEqual(['MODEL_FAILED', 'b']);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['retry', { by }, { text: 'done', iterations: 4 }],
    ['skip', { by, output: { text: 'mine' } }, { text: 'mine' }],
  ])('an agent with onMaxIterations "intervene" waits for a person at its end: %s', (signal, payload, result) => {
    const run = playTurns({ onMaxIterations: 'intervene', onError: { to: 'a' } });
    expect(run.run.status).toBe('waiting');
    expect(typesOf(run)).toContain('node.failed');
    run.signal(signal, payload);
    expect(run.run.status).toBe('completed');
    expect(firstLogged(run)).toMatchObject(result);
  });
});
