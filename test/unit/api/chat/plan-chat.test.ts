import { expect, test } from 'vitest';
import { planChat } from '../../../../src/api/chat/messages/plan-chat.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../../support/builders/builders.ts';

const MESSAGES = { reducer: 'messages' } as const;
const TEXT = { schema: { type: 'string' } };

test.each<[string, Partial<GraphDefinition>, unknown, string | null]>([
  [
    'the channel "messages"',
    { channels: { log: MESSAGES, messages: MESSAGES } },
    { channel: 'messages', kind: 'messages' },
    'messages',
  ],
  [
    'the first channel of messages',
    { channels: { a: TEXT, log: MESSAGES } },
    { channel: 'log', kind: 'messages' },
    'log',
  ],
  [
    'the channel of messages that is an input',
    { channels: { messages: MESSAGES, log: MESSAGES }, input: ['log'] },
    { channel: 'log', kind: 'messages' },
    'log',
  ],
  ['the first text channel', { channels: { n: {}, q: TEXT, a: TEXT } }, { channel: 'q', kind: 'text' }, 'a'],
  [
    'a text channel, and answered in the output channel',
    { channels: { q: TEXT, a: TEXT, b: TEXT }, input: ['q'], output: ['b'] },
    { channel: 'q', kind: 'text' },
    'b',
  ],
  [
    'a text channel, and answered by the whole output',
    { channels: { q: TEXT, n: {} } },
    { channel: 'q', kind: 'text' },
    null,
  ],
  ['no channel', { channels: { messages: {}, n: { schema: { type: 'number' } } } }, null, null],
])('a chat message is written to %s of the graph', (...[, over, input, answer]) => {
  expect(planChat(aDefinition(over))).toMatchObject({ input, answer });
});

test('in a chat, a tool node makes one call, unless it makes the calls of a message', () => {
  const nodes = { pay: { type: 'tool', tool: 'pay' }, all: { type: 'tool', calls: 'messages' } } as const;
  expect([...planChat(aDefinition({ nodes })).singleCallNodes]).toEqual(['pay']);
});

test('a node answers in a chat if its model writes the unchanged answer', () => {
  const channels = { messages: MESSAGES, other: MESSAGES };
  const nodes = {
    talk: { type: 'agent', messages: 'messages' },
    write: { type: 'llm', prompt: 'Hi', write: { messages: '{{ result.message }}' } },
    aside: { type: 'llm', messages: 'other' },
    judge: { type: 'llm', messages: 'messages', output: { type: 'object' } },
    set: { type: 'set', write: { messages: [] } },
  } as const;
  const plan = planChat(aDefinition({ channels, nodes }));
  expect([...plan.answeringNodes]).toEqual(['talk', 'write']);
});
