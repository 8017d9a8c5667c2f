import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CHANNELS, asks, modelDown, play } from '../../support/builders/agents.ts';
import type { Played, Stage } from '../../support/builders/agents.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const by = { sub: 'ada', roles: ['approver'] };
const calls: NodeDefinition = { type: 'tool', calls: 'chat', tools: ['lookup', 'charge', 'notify'] };
const call = (id: string, name = 'lookup', args: Json = { key: id }): Json => ({ id, name, args });
const asking = (...toolCalls: readonly Json[]): Json => ({ role: 'assistant', content: '', toolCalls: [...toolCalls] });
const answering = (toolCallId: string): Json => ({ role: 'tool', toolCallId, content: 'old' });

/** Makes the calls of a conversation. */
function playCalls(said: readonly Json[], over: Partial<Stage> = {}): Played {
  const chat = {
    reducer: 'messages',
    default: said.map((message, at) => Object.assign({ id: `m${at}` }, message)),
  } as const;
  return play({ replies: [], graph: { channels: { ...CHANNELS, chat }, nodes: { run: calls } }, ...over });
}

/** Returns what was added to the conversation, with the ids of the answered calls. */
function addedTo({ run }: Played, said: readonly Json[]): readonly unknown[] {
  const { chat } = run.run.root.channels;
  return Array.isArray(chat) ? chat.slice(said.length) : [];
}

describe('a tool node with calls', () => {
  test('a tool node with calls makes the unanswered calls of the last assistant message, in order', () => {
    const said = [asking(call('x')), asking(call('a'), call('b'), call('c')), answering('b')];
    const played = playCalls(said, { outside: { next: (out) => out.length - 1 } });
    expect(played.calls.map(({ args }) => args)).toEqual([{ key: 'c' }, { key: 'a' }]);
    expect(addedTo(played, said)).toMatchObject([
      { role: 'tool', toolCallId: 'a', name: 'lookup', content: 'a' },
      { role: 'tool', toolCallId: 'c', name: 'lookup', content: 'c' },
    ]);
  });

  test.each<[string, readonly Json[]]>([
    ['the channel is empty', []],
    ['there is no assistant message', [{ role: 'user', content: 'hi' }]],
    ['the last message requests no call', [asking(call('x')), { role: 'assistant', content: 'done' }]],
    ['all are answered', [asking(call('x')), answering('x')]],
  ])('a tool node with calls writes nothing if %s', (_name, said) => {
    const played = playCalls(said);
    expect([played.run.run.status, played.calls]).toEqual(['completed', []]);
    expect(played.run.events.find(({ type }) => type === 'node.completed')).toMatchObject({ update: {} });
  });

  test('a tool node with calls converts numbers and booleans from strings', () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' }, on: { type: 'boolean' } } };
    const played = playCalls([asking(call('a', 'lookup', { n: '5', on: 'true' }))], {
      tools: { lookup: { parameters } },
    });
    expect(played.calls[0]?.args).toEqual({ n: 5, on: true });
  });

  test('a tool node with calls reports errors to the model', () => {
    const said = [asking(call('a', 'nope'), call('b', 'lookup', {}), call('c', 'charge'), call('d'))];
    const tool = ({ tool: name }: { tool: string }): Json => {
      if (name === 'charge') throw new CallFailure('TOOL_FAILED', 'declined');
      return null;
    };
    expect(addedTo(playCalls(said, { tool }), said)).toMatchObject([
      { content: 'Tool not found: nope' },
      { content: expect.stringContaining('Execution failed: The arguments of lookup') },
      { content: 'Execution failed: declined' },
      { content: 'Success' },
    ]);
  });

  test('a tool node with calls requests only the approvals that its tools need', () => {
    const said = [asking(call('a'), call('b', 'notify'), call('c', 'charge'))];
    const played = playCalls(said, { tools: { charge: { approval: 'always' } } });
    expect(Object.values(played.run.run.approvals)).toMatchObject([{ tool: 'charge' }]);
    expect(played.calls.map(({ tool }) => tool)).toEqual(['lookup', 'notify']);
    played.run.signal('reject', { reason: 'no', by });
    expect(addedTo(played, said)).toMatchObject([
      { content: 'a' },
      { content: 'b' },
      { content: expect.stringContaining('A person said: no') },
    ]);
  });

  test('a tool node with calls requests no approval of an unsafe tool without a rule', () => {
    const played = playCalls([asking(call('a', 'notify'))]);
    expect([played.run.run.status, played.calls.length]).toEqual(['completed', 1]);
  });

  test('a tool node with calls continues from its progress when it is retried with a higher limit', () => {
    const said = [asking(call('a'), call('b'))];
    const nodes = { run: calls };
    const chat = {
      reducer: 'messages',
      default: [{ id: 'm0', role: 'assistant', content: '', toolCalls: [call('a'), call('b')] }],
    } as const;
    const graph = { channels: { ...CHANNELS, chat }, nodes, limits: { maxToolCalls: 2 } };
    const played = play({ replies: [], graph, limits: { maxToolCalls: 1 } });
    expect(played.run.run.error).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringContaining('maxToolCalls'),
    });
    expect(played.calls).toEqual([]);
    played.run.reopen('retry', { limits: { maxToolCalls: 2 } });
    expect(addedTo(played, said)).toMatchObject([{ content: 'a' }, { content: 'b' }]);
  });

  test('a tool node with calls gives each call its own timeout', () => {
    const said = [asking(call('a'))];
    const chat = {
      reducer: 'messages',
      default: [{ id: 'm', role: 'assistant', content: '', toolCalls: [call('a')] }],
    } as const;
    const node = { ...calls, timeout: '7s', retry: { maxAttempts: 9 } } as const;
    const played = play({ replies: [], graph: { channels: { ...CHANNELS, chat }, nodes: { run: node } } });
    expect(played.calls).toMatchObject([{ policy: { timeoutMs: 7_000, deadlineMs: null, retry: { maxAttempts: 9 } } }]);
    expect(addedTo(played, said)).toHaveLength(1);
  });

  test('a tool node with calls waits for a person if the outcome of a call is unknown', () => {
    const lost = new CallFailure('UNKNOWN_OUTCOME', 'lost');
    const said = [asking(call('a', 'notify'), call('b'))];
    const tool = ({ tool: name }: { tool: string }): Json => {
      if (name === 'notify') throw lost;
      return 'fine';
    };
    const played = playCalls(said, { tool });
    expect(toRunView(played.run.run)).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'intervention', id: 'run:1:0' }],
    });
    played.run.signal('skip', { output: 'sent', by });
    expect(addedTo(played, said)).toMatchObject([{ content: 'sent' }, { content: 'fine' }]);
  });

  test('a tool node with calls of unknown outcome does not wait for a person if it is the last node of a canceled run', () => {
    const chat = {
      reducer: 'messages',
      default: [{ id: 'm', role: 'assistant', content: '', toolCalls: [call('a'), call('b', 'charge')] }],
    } as const;
    const graph: Partial<GraphDefinition> = {
      channels: { ...CHANNELS, chat },
      nodes: { w: { type: 'wait', event: 'go' }, run: calls },
      edges: [{ from: '__start__', to: 'w' }],
      onCancel: 'run',
    };
    const tool = ({ tool: name }: { tool: string }): Json => {
      throw new CallFailure(name === 'charge' ? 'TOOL_FAILED' : 'UNKNOWN_OUTCOME', 'lost');
    };
    const played = play({ replies: [], graph, tool, tools: { charge: { onFailure: 'intervene' } } });
    played.run.signal('cancel', {});
    expect([played.run.run.status, played.calls.length]).toEqual(['canceled', 2]);
  });
});

test('an llm node and a tool node that makes its calls form a loop', () => {
  const graph: Partial<GraphDefinition> = {
    nodes: {
      ask: { type: 'llm', messages: 'chat', tools: ['lookup'], write: { n: '{{ size(result.toolCalls) }}' } },
      run: calls,
    },
    edges: [
      { from: '__start__', to: 'ask' },
      { from: 'ask', branches: [{ when: 'state.n > 0', to: 'run' }, { to: '__end__' }] },
      { from: 'run', to: 'ask' },
    ],
  };
  const { run, keys, requests } = play({
    graph,
    replies: [asks(['lookup', { key: 'a' }]), asks(['lookup', { key: 'b' }]), 'done'],
  });
  const said = ['assistant c0', 'tool c0', 'assistant c0-2', 'tool c0-2', 'assistant '];
  const { chat } = run.run.root.channels;
  const ids = Array.isArray(chat)
    ? chat.map(({ role, toolCallId, toolCalls = [] }) => `${role} ${toolCallId ?? toolCalls[0]?.id ?? ''}`)
    : [];
  expect(ids).toEqual(said);
  expect([new Set(keys).size, requests.length]).toEqual([5, 3]);
});

test('a retry of a failed llm node in a loop repeats only the model call', () => {
  const graph: Partial<GraphDefinition> = {
    nodes: {
      ask: { type: 'llm', messages: 'chat', tools: ['lookup'] },
      run: calls,
      again: { type: 'llm', messages: 'chat' },
    },
  };
  const { run, keys } = play({ graph, replies: [asks(['lookup', { key: 'a' }]), modelDown, 'done'] });
  run.reopen('retry');
  expect(run.run.status).toBe('completed');
  expect(keys).toEqual(['run-1:ask:1:0:0', 'run-1:run:1:0:0', 'run-1:again:1:0:0', 'run-1:again:1:0:1']);
});
