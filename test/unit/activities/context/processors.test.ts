import { describe, expect, test } from 'vitest';
import {
  keepNewestMessages,
  shortenToolResults,
  summarizeOldest,
} from '../../../../src/activities/context/summarize.ts';
import { textOf } from '../../../../src/graph/definition/message.ts';
import type { Message } from '../../../../src/graph/definition/message.ts';
import { replaceBySummary } from '../../../../src/graph/nodes/model/conversation.ts';
import { aCaller, aMessage, anAnswer, byLength, idsOf } from '../../../support/builders/conversations.ts';

const ten = (id: string, role: Message['role']): Message => aMessage(id, role, id.padEnd(10, '.'));
const LARGE = 'x'.repeat(400);

/** Five messages of ten tokens each. */
const talk = [ten('u1', 'user'), ten('a1', 'assistant'), ten('u2', 'user'), ten('a2', 'assistant'), ten('u3', 'user')];

describe('last', () => {
  const sent = async (messages: readonly Message[], maxTokens: number): Promise<string> =>
    idsOf(await keepNewestMessages(messages, byLength(maxTokens))).join(' ');
  test.each([
    [50, 'u1 a1 u2 a2 u3'],
    [49, 'a1 u2 a2 u3'],
    [30, 'u2 a2 u3'],
    [10, 'u3'],
  ])('keeps the newest messages that fit into %i', async (maxTokens, expected) => {
    expect(await sent(talk, maxTokens)).toBe(expected);
  });

  test('keeps the messages that must be sent, even if they do not fit', async () => {
    expect(await sent(talk, 5)).toBe('u3');
  });

  test('keeps no message older than one that does not fit', async () => {
    const messages = [ten('u1', 'user'), aMessage('a1', 'assistant', LARGE), ten('u2', 'user')];
    expect(await sent(messages, 40)).toBe('u2');
  });

  test('keeps a call and its answers together', async () => {
    const calls = [ten('u1', 'user'), aCaller('a', 'k1', 'k2'), anAnswer('t1', 'k1'), anAnswer('t2', 'k2')];
    const messages = [...calls, ten('b', 'assistant'), ten('u2', 'user')];
    expect(await sent(messages, 29)).toBe('b u2');
    expect(await sent(messages, 30)).toBe('a t1 t2 b u2');
  });

  test('keeps system messages at any position', async () => {
    const messages = [ten('s1', 'system'), ten('u1', 'user'), ten('s2', 'system'), ten('u2', 'user')];
    expect(await sent(messages, 30)).toBe('s1 s2 u2');
  });

  test('keeps the user message while tools are called for it', async () => {
    const calls = [1, 2, 3].flatMap((n) => [aCaller(`a${n}`, `k${n}`), anAnswer(`t${n}`, `k${n}`, 'x'.repeat(10))]);
    expect(await sent([ten('u1', 'user'), ...calls], 30)).toBe('u1 a2 t2 a3 t3');
    expect(await sent([ten('u1', 'user'), ...calls], 1)).toBe('u1 a3 t3');
  });
});

describe('shorten-tool-results', () => {
  const call = (n: number, content: string): Message[] => [
    aCaller(`a${n}`, `k${n}`),
    anAnswer(`t${n}`, `k${n}`, content),
  ];
  const shortened = async (messages: readonly Message[], maxTokens: number): Promise<string> => {
    const short = await shortenToolResults(messages, byLength(maxTokens));
    return idsOf(short.filter(({ content }) => textOf(content).startsWith('[A result of 400 characters'))).join(' ');
  };
  const talk = [ten('u1', 'user'), ...call(1, LARGE), ...call(2, LARGE), ...call(3, 'small'), ...call(4, LARGE)];

  test.each([
    [2_000, ''],
    [1_000, 't1'],
    [600, 't1 t2'],
    [10, 't1 t2'],
  ])('shortens the oldest large results until all fit into %i, and never the newest', async (maxTokens, expected) => {
    expect(await shortened(talk, maxTokens)).toBe(expected);
  });

  test('drops no message', async () => {
    expect(idsOf(await shortenToolResults(talk, byLength(10)))).toEqual(idsOf(talk));
  });
});

describe('summarize', () => {
  const decided = async (
    messages: readonly Message[],
    maxTokens: number,
    request = messages,
  ): Promise<number | string> => {
    const indexes = new Map(request.map(({ id }, place) => [id, place]));
    const decision = await summarizeOldest(messages, { ...byLength(maxTokens), indexes });
    return 'kind' in decision ? decision.messages : idsOf(decision).join(' ');
  };
  test.each([
    [50, 'u1 a1 u2 a2 u3'],
    [49, 3],
    [40, 3],
    [30, 4],
    [10, 4],
  ])(
    'with a limit of %i requests a summary of enough messages that the others take half',
    async (maxTokens, expected) => {
      expect(await decided(talk, maxTokens)).toBe(expected);
    },
  );

  test('cuts after a call with all its answers', async () => {
    const calls = [aCaller('a', 'k1', 'k2'), anAnswer('t1', 'k1', LARGE), anAnswer('t2', 'k2', 'x')];
    expect(await decided([...calls, ten('u1', 'user')], 100)).toBe(3);
  });

  test('never summarizes the newest user message, but drops the oldest messages', async () => {
    const calls = [1, 2, 3].flatMap((n) => [aCaller(`a${n}`, `k${n}`), anAnswer(`t${n}`, `k${n}`, 'x'.repeat(10))]);
    expect(await decided([ten('u1', 'user'), ...calls], 30)).toBe('u1 a2 t2 a3 t3');
  });

  test('does not summarize a summary alone', async () => {
    const { head } = replaceBySummary([ten('u0', 'user')], { messages: 1, last: 'u0', text: 'They met.' });
    expect(await decided([...head, ten('u1', 'user')], 30)).toBe('u1');
    expect(await decided([...head, ten('a1', 'assistant'), ten('u1', 'user')], 30)).toBe(2);
  });

  test('summarizes a message that is only named like a summary', async () => {
    expect(await decided([aMessage('summary', 'user', 'x'.repeat(30)), ten('u1', 'user')], 30)).toBe(1);
  });

  test('does not request a summary after which the request would not fit', async () => {
    expect(await decided([ten('a1', 'assistant'), ten('u1', 'user')], 5)).toBe('u1');
  });

  test('does not cut between a call and an answer that had to be moved to it', async () => {
    const [caller, answer] = [aCaller('a', 'k1'), anAnswer('t', 'k1', LARGE)];
    const between = ten('u1', 'user');
    const newest = ten('u2', 'user');
    expect(await decided([caller, answer, between, newest], 100, [caller, between, answer, newest])).toBe(3);
  });

  test('counts system messages among the kept ones', async () => {
    const messages = [
      aMessage('s', 'system', 'x'.repeat(20)),
      ten('u1', 'user'),
      ten('a1', 'assistant'),
      ten('u2', 'user'),
    ];
    expect(await decided(messages, 40)).toBe(3);
  });
});
