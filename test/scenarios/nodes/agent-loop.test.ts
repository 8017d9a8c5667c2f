import { describe, expect, test } from 'vitest';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { asks, modelDown, playAgent, says, toolResultsIn } from '../../support/builders/agents.ts';
import { firstLogged, typesOf } from '../../support/builders/runs.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const last = (calls: readonly CallEffect[]): number => calls.length - 1;

describe('the tool calls of one turn', () => {
  test.each([['first', () => 0] as const, ['last', last] as const])(
    'the tool calls of one turn are answered in their order, whichever result arrives %s',
    (_name, next) => {
      const played = playAgent({}, { replies: [asks(look('a'), look('b'), look('c')), 'done'], outside: { next } });
      expect(toolResultsIn(played)).toEqual(['a', 'b', 'c']);
      expect(played.requests[1]?.messages.map(({ role, toolCallId }) => toolCallId ?? role)).toEqual([
        'user',
        'assistant',
        'c0',
        'c1',
        'c2',
      ]);
      expect(firstLogged(played.run)).toMatchObject({ text: 'done', toolCalls: [], object: null });
    },
  );

  test('the tool calls of one turn are executed concurrently', () => {
    const { run } = playAgent({}, { replies: [asks(look('a'), look('b'))], outside: { next: modelsOnly } });
    expect(run.out.map(({ key }) => key)).toEqual(['run-1:a:1:1:0', 'run-1:a:1:2:0']);
  });

  test('the tool calls of one turn are 500 at most; further calls are answered at once with an error', () => {
    const calls = Array.from({ length: 2_000 }, (_, at) => look(`${at}`));
    const { run } = playAgent({}, { replies: [asks(...calls)], outside: { next: modelsOnly } });
    expect(JSON.stringify(run.run.root).match(/"phase":"answered"/g)).toHaveLength(1_500);
    expect(run.out).toHaveLength(100);
  });

  test.each<[string, readonly [string, Json], string]>([
    ['an unknown tool', ['nope', {}], 'Tool not found: nope'],
    ['a tool of another node', ['notify', { key: 'a' }], 'Tool not found: notify'],
    ['a property of all objects', ['constructor', {}], 'Tool not found: constructor'],
    ['arguments without a key', ['lookup', {}], 'Execution failed: The arguments of lookup break its parameters at /'],
    [
      'a key that is not a text',
      ['lookup', { key: [1] }],
      'Execution failed: The arguments of lookup break its parameters at /key',
    ],
    ['missing arguments', ['lookup', null], 'Execution failed: The arguments of lookup break its parameters at /'],
  ])('a tool call of one turn for %s is answered with an error, and the others are made', (_name, call, answer) => {
    const played = playAgent({}, { replies: [asks(call, look('b')), 'done'] });
    expect(toolResultsIn(played)).toEqual([expect.stringContaining(answer), 'b']);
    expect([played.run.run.status, played.calls.length]).toEqual(['completed', 1]);
  });

  test.each<[Json, string]>([
    [null, 'Success'],
    ['', ''],
    ['text', 'text'],
    [7, '7'],
    [false, 'false'],
    [{ a: [2], b: null }, '{"a":[2],"b":null}'],
  ])('tool calls that return %j are answered to the model with %j', (result, answer) => {
    const played = playAgent({}, { replies: [asks(look('a')), 'done'], tool: () => result });
    expect(toolResultsIn(played)).toEqual([answer]);
  });

  test.each([
    ['TOOL_FAILED', 'no such order', 'Execution failed: no such order'],
    ['TIMEOUT', 'too slow', 'Execution failed: too slow'],
    ['BLOCKED_URL', 'http://10.0.0.1/ is blocked', 'Execution failed: its address is blocked'],
  ] as const)('tool calls that fail with %s are answered to the model with the error', (code, message, answer) => {
    const played = playAgent({}, { replies: [asks(look('a')), 'done'], tool: failing(code, message) });
    expect(toolResultsIn(played)).toEqual([answer]);
  });

  test('tool calls have numbers and booleans converted from strings', () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' }, on: { type: 'boolean' } } };
    const { calls, run } = playAgent(
      {},
      { replies: [asks(['lookup', { n: '5', on: 'true' }]), 'done'], tools: { lookup: { parameters } } },
    );
    expect(calls[0]?.args).toEqual({ n: 5, on: true });
    expect(run.events.find(({ type }) => type === 'tool.requested')).toMatchObject({ args: { n: 5, on: true } });
  });

  test.each([
    [
      ['', '', ''],
      ['call', 'call-2', 'call-3'],
    ],
    [
      ['x', 'x', 'x-2'],
      ['x', 'x-2', 'x-2-2'],
    ],
  ])('the tool calls of one turn may have the ids %j', (given, ids) => {
    const calls = given.map((id) => ['lookup', { key: id }, id] as const);
    const { requests } = playAgent({}, { replies: [asks(...calls), asks(...calls), 'done'] });
    const answered = requests[2]?.messages.flatMap(({ toolCallId }) => toolCallId ?? []) ?? [];
    expect(answered.slice(0, 3)).toEqual(ids);
    expect(new Set(answered).size).toBe(6);
  });
});

describe('an agent', () => {
  test.each([
    [1, 2],
    [3, 4],
  ])(
    'an agent with maxIterations %d calls the model at most %d times, at last without tools',
    (maxIterations, turns) => {
      const replies = Array.from({ length: turns }, (_, at) => asks(look(`k${at}`)));
      const { requests, calls, run } = playAgent({ maxIterations }, { replies });
      expect(requests.map(({ tools }) => tools.length)).toEqual([...Array.from({ length: maxIterations }, () => 2), 0]);
      expect(calls).toHaveLength(maxIterations);
      expect(firstLogged(run)).toMatchObject({
        text: '',
        toolCalls: [],
        iterations: maxIterations,
        iterationsExhausted: true,
        finishReason: 'tool-calls',
        message: { content: '' },
      });
      expect(firstLogged(run)).not.toHaveProperty(['message', 'toolCalls']);
    },
  );

  test('an agent without tools answers once', () => {
    const { requests, run } = playAgent(
      { tools: [] },
      { replies: [says('hi', { toolCalls: asks(look('a')).toolCalls })] },
    );
    expect(requests).toHaveLength(1);
    expect(firstLogged(run)).toMatchObject({ text: 'hi', iterations: 0, iterationsExhausted: false, toolCalls: [] });
  });

  test('an agent calls the model with tools at most five times by default', () => {
    const replies = [...Array.from({ length: 5 }, () => asks(look('a'))), 'done'];
    expect(playAgent({}, { replies }).requests).toHaveLength(6);
  });

  test('an agent sums the usage of its turns', () => {
    const { run } = playAgent({}, { replies: [asks(look('a')), asks(look('b')), 'done'] });
    expect(firstLogged(run)).toMatchObject({ usage: { inputTokens: 30, outputTokens: 15 }, iterations: 3 });
    expect(run.run.spent).toEqual({ inputTokens: 30, outputTokens: 15, costMicros: 60, modelCalls: 3, toolCalls: 2 });
  });

  test('an agent adds calls, results and its reply to the channel of messages', () => {
    const providerParts = { provider: 'p', parts: [{ signature: 's' }] };
    const first = { ...asks(look('a'), ['nope', {}]), providerParts };
    const { run, requests } = playAgent(
      { messages: 'chat' },
      {
        replies: [first, says('done', { providerParts })],
        graph: { channels: { log: { reducer: 'append' }, chat: { reducer: 'messages', default: [] } } },
      },
    );
    const added = [
      { role: 'assistant', content: '', toolCalls: first.toolCalls, providerParts },
      { role: 'tool', toolCallId: 'c0', name: 'lookup', content: 'a' },
      { role: 'tool', toolCallId: 'c1', name: 'nope', content: 'Tool not found: nope' },
      { role: 'assistant', content: 'done', providerParts },
    ];
    expect(run.run.root.channels['chat']).toMatchObject(added);
    expect(requests[1]?.messages).toMatchObject(added.slice(0, 3));
    expect(requests[0]?.messages).toEqual([]);
  });

  test('an agent drops the provider parts of an answer whose calls are dropped', () => {
    const providerParts = { provider: 'p', parts: [{ call: 'lookup' }] };
    const { run } = playAgent(
      { maxIterations: 1 },
      { replies: [asks(look('a')), { ...asks(look('b')), providerParts }] },
    );
    expect(firstLogged(run)).toMatchObject({ message: { role: 'assistant', content: '' } });
    expect(firstLogged(run)).not.toHaveProperty(['message', 'providerParts']);
  });

  test('an agent has its output object corrected among the calls that it requests', () => {
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const { run, requests } = playAgent({ output }, { replies: [asks(look('a')), '{}', '{"n": 3}'] });
    expect(firstLogged(run)).toMatchObject({ object: { n: 3 }, iterations: 2 });
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(requests[2]?.tools).toEqual(['lookup', 'charge']);
  });

  test('an agent continues with its fallback model in the middle of the loop', () => {
    const model = ['default', 'spare'];
    const { run, requests, keys } = playAgent(
      { model },
      { replies: [asks(look('a')), modelDown, asks(look('b')), 'done'] },
    );
    expect(requests.map((request) => request.model)).toEqual(['default', 'default', 'spare', 'default']);
    expect(firstLogged(run)).toMatchObject({ text: 'done', model: 'default', iterations: 3 });
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('an agent is not offered tools that its run may not call', () => {
    const { requests, run } = playAgent(
      {},
      { replies: [asks(['charge', { key: 'a' }]), 'done'], tools: { charge: { roles: ['boss'] } } },
    );
    expect(requests[0]?.tools).toEqual(['lookup']);
    expect(toolResultsIn({ requests })).toEqual(['Execution failed: charge may be called by runs of boss only']);
    expect(run.run.spent.toolCalls).toBe(0);
  });

  test('an agent is offered the tools of any role of its run', () => {
    const { requests } = playAgent({}, { replies: ['hi'], tools: { charge: { roles: ['boss', 'user'] } } });
    expect(requests[0]?.tools).toHaveLength(2);
  });

  test('an agent records its steps in the history', () => {
    const { run } = playAgent({}, { replies: [asks(look('a')), 'done'] });
    expect(typesOf(run).slice(3, -2)).toEqual([
      'node.started',
      'model.called',
      'tool.requested',
      'tool.called',
      'model.called',
      'node.completed',
    ]);
  });
});

function failing(code: CallFailure['code'], message: string): () => never {
  return () => {
    throw new CallFailure(code, message);
  };
}

function modelsOnly(calls: readonly CallEffect[]): number | null {
  const at = calls.findIndex(({ request }) => request.kind === 'model');
  return at < 0 ? null : at;
}
