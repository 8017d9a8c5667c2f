import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { asks, says } from '../support/builders/agents.ts';
import { addsNames, failing, startRun } from '../support/builders/runs.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

const channels: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  chat: { reducer: 'messages' },
  total: { reducer: 'sum' },
};
const chatOf = ({ run }: MemoryRun): Json | undefined => run.root.channels['chat'];
const start = (over: Partial<GraphDefinition>, outside: Outside = {}): MemoryRun =>
  startRun({ channels, ...over }, outside);

describe('a node that writes to the channel of its conversation', () => {
  const next = { role: 'user', content: 'next?' };
  const said = { role: 'assistant', content: 'fine' };
  const nodesWith = (write: Json): GraphDefinition['nodes'] => ({
    first: { type: 'set', write: { chat: { role: 'user', content: 'hi' } } },
    ask: { type: 'agent', messages: 'chat', tools: ['lookup'], write: { chat: write } },
  });
  const talking = (): Outside => {
    const replies = [asks(['lookup', { key: 'a' }]), says('fine')];
    return { model: () => replies.shift() ?? says(''), tool: () => 'found' };
  };

  test('a node that writes to the channel of its conversation writes after its conversation', () => {
    const run = start({ nodes: nodesWith(next) }, talking());
    expect(chatOf(run)).toMatchObject([{ content: 'hi' }, { role: 'assistant' }, { role: 'tool' }, said, next]);
  });

  test('a node may write several messages to the channel of its conversation, or replace all', () => {
    const several = start({ nodes: nodesWith([next, next]) }, talking());
    expect(chatOf(several)).toHaveLength(6);
    const anew = start({ nodes: nodesWith({ $replace: [next] }) }, talking());
    expect(chatOf(anew)).toMatchObject([next]);
  });

  test('a node adds its reply to its conversation once if it also writes the reply itself', () => {
    const run = start({ nodes: nodesWith('{{ result.message }}') }, talking());
    expect(chatOf(run)).toMatchObject([{ content: 'hi' }, { role: 'assistant' }, { role: 'tool' }, said]);
  });
});

describe('`$replace` of a channel of messages', () => {
  const user = { role: 'user', content: 'hi' };
  const writing = (value: Json): Partial<GraphDefinition> => ({
    nodes: { a: { type: 'set', write: { chat: { $replace: value } } } },
  });

  test('`$replace` of a channel of messages adds ids to the messages', () => {
    expect(chatOf(start(writing([user, user])))).toEqual([
      { id: 'run-1.m1', ...user },
      { id: 'run-1.m2', ...user },
    ]);
  });

  test('`$replace` of a channel of messages has the same form as a default', () => {
    const chat = { reducer: 'messages', default: [user, { id: 'mine', ...user }] } as const;
    const run = start({ channels: { ...channels, chat }, nodes: addsNames('a') });
    expect(chatOf(run)).toEqual([
      { id: 'default.m1', ...user },
      { id: 'mine', ...user },
    ]);
  });

  test.each([['x'], [[1]], [{ role: 'user' }], [[{ role: 'nobody', content: 'x' }]]])(
    '`$replace` of a channel of messages can not contain %j',
    (value) => {
      expect(start(writing(value)).run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION' });
    },
  );
});

test('a sum channel refuses a sum beyond the range of numbers', () => {
  const adds = { type: 'set', write: { total: 1e308 } } as const;
  const nodes = { a: adds, b: adds };
  expect(start({ nodes }).run).toMatchObject({
    status: 'failed',
    error: { code: 'CHANNEL_SCHEMA_VIOLATION', node: 'b', message: expect.stringContaining('beyond all numbers') },
    root: { channels: { total: 1e308 } },
  });
});

test.each([
  ['is refused if the state does not accept all its messages', { maxItems: 1 }, 'waiting'],
  ['is accepted if the state accepts all its messages', { minItems: 2 }, 'completed'],
])('a skip of a node with a conversation %s', (...[, schema, status]) => {
  const chat = { reducer: 'messages', default: [], schema: { type: 'array', ...schema } } as const;
  const ask = { type: 'tool', tool: 'lookup', onError: 'intervene', write: 'chat' } as const;
  const run = start({ channels: { chat }, nodes: { ask } }, failing);
  expect(run.run.status).toBe('waiting');
  const output = ['one', 'two'].map((content) => ({ role: 'user', content }));
  run.signal('skip', { output, by: { sub: 'ada', roles: ['approver'] } });
  expect(run.run.status).toBe(status);
});
