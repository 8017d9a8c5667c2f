import { describe, expect, test } from 'vitest';
import { fitMessages } from '../../../../src/activities/context/fit-messages.ts';
import type { FittingDeps, FittingMessages } from '../../../../src/activities/context/fit-messages.ts';
import type { MessageProcessor } from '../../../../src/activities/context/message-processor.ts';
import { UNKNOWN_MEASURE } from '../../../../src/activities/context/estimate-tokens.ts';
import { textOf } from '../../../../src/graph/definition/message.ts';
import type { Message } from '../../../../src/graph/definition/message.ts';
import type { ContextPolicy, ModelCallRequest, OverflowReply } from '../../../../src/graph/run/effect.ts';
import { aModelRequest } from '../../../support/builders/call-builders.ts';
import { aDocument, aPicture } from '../../../support/builders/file-parts.ts';
import { aCall, aCaller, aMessage, anAnswer, idsOf } from '../../../support/builders/conversations.ts';

/** A counter with one token per character; each message takes 4 more, and the request 3. */
const byCharacter = { contextWindow: null, loadCounter: async () => (text: string) => text.length };

async function fit(
  request: Partial<ModelCallRequest>,
  deps: Partial<FittingDeps> = {},
): ReturnType<typeof fitMessages> {
  return await fitMessages(aModelRequest(request), { measure: byCharacter, processors: {}, tools: [], ...deps });
}

/** Returns the sent messages. */
async function sent(request: Partial<ModelCallRequest>, deps?: Partial<FittingDeps>): Promise<FittingMessages> {
  return messagesOf(await fit(request, deps));
}

function messagesOf(fitted: FittingMessages | OverflowReply): FittingMessages {
  if (fitted.kind === 'fitting') return fitted;
  throw new Error(`${fitted.messages} messages overflow`);
}

const last = (maxTokens: number | null): ContextPolicy => ({ maxTokens, strategy: 'last' });
const talk = [
  aMessage('u1', 'user', '123456'),
  aMessage('a1', 'assistant', '123456'),
  aMessage('u2', 'user', '123456'),
];

describe('without a policy', () => {
  test('without a context policy all messages are sent and nothing is reported', async () => {
    expect(await sent({ messages: talk })).toEqual({ kind: 'fitting', messages: talk, report: null });
  });

  test('tool calls without answers are repaired also without a context policy', async () => {
    const { messages } = await sent({ messages: [aCaller('a', 'k1'), aMessage('u', 'user'), anAnswer('t', 'other')] });
    expect(messages).toMatchObject([{ id: 'a' }, { role: 'tool', toolCallId: 'k1' }, { id: 'u' }]);
  });

  test('messages with the same id stay different messages without a context policy', async () => {
    const { messages } = await sent({
      messages: [aMessage('m', 'user'), aMessage('m', 'user'), aMessage('m#2', 'user')],
    });
    expect(idsOf(messages)).toEqual(['m', 'm#2', 'm#2#2']);
  });
});

describe('a limit', () => {
  test('the token limit counts the complete request, and the report describes what was sent', async () => {
    const { messages, report } = await sent({ messages: talk, context: last(32) });
    expect(idsOf(messages)).toEqual(['a1', 'u2']);
    expect(report).toEqual({ tokens: 23, maxTokens: 32, dropped: 1 });
  });

  test('the token limit counts the system prompt, the tools and the output schema', async () => {
    const tool = { name: 'pay', description: 'Pays.', parameters: {} };
    const request = { system: '1234', output: { a: 1 }, messages: talk, context: last(1_000) };
    const { report } = await sent(request, { tools: [tool] });
    const frame = 3 + (4 + '1234'.length) + 'pay Pays. {}'.length + '{"a":1}'.length;
    expect(report?.tokens).toBe(frame + 3 * 10);
  });

  test('the token limit counts tool calls, and the parts that a provider needs back', async () => {
    const providerParts = { provider: 'x', parts: ['1234567890'] };
    const caller = { ...aCaller('a'), toolCalls: [aCall('k', { n: 1 })], providerParts };
    const { report } = await sent({ messages: [caller, anAnswer('t', 'k', '123')], context: last(1_000) });
    expect(report?.tokens).toBe(3 + (4 + '["1234567890"]'.length) + (4 + 'lookup {"n":1}'.length) + (4 + 3));
  });

  test('the token limit counts files by an estimate', async () => {
    const content = [{ type: 'text', text: '123456' }, aPicture(), aDocument()] as const;
    const { report } = await sent({ messages: [{ id: 'u', role: 'user', content }], context: last(10_000) });
    expect(report?.tokens).toBe(3 + 10 + 1_600 + 5_000);
  });

  test('files that a tool has answered count as tokens', async () => {
    const files = [aPicture(), aDocument()];
    const { report } = await sent({
      messages: [aCaller('a', 'k'), { ...anAnswer('t', 'k', '123'), files }],
      context: last(10_000),
    });
    expect(report?.tokens).toBe(3 + (4 + 4 + 'lookup {}'.length) + (4 + 3 + 1_600 + 5_000));
  });

  test('a picture that a tool has answered is dropped together with the tool message', async () => {
    const old = [aCaller('a0', 'k'), { ...anAnswer('t0', 'k'), files: [aPicture()] }];
    const { messages } = await sent({ messages: [...old, ...talk], context: last(1_000) });
    expect(idsOf(messages)).toEqual(['u1', 'a1', 'u2']);
  });

  test('a picture is dropped together with its message when the token limit is reached', async () => {
    const old: Message = { id: 'old', role: 'user', content: [aPicture()] };
    const { messages } = await sent({ messages: [old, ...talk], context: last(1_000) });
    expect(idsOf(messages)).toEqual(['u1', 'a1', 'u2']);
  });

  test.each([
    ['the model’s context window where the policy names no limit', { maxTokens: null, contextWindow: 32 }],
    ['the model’s context window where that is smaller', { maxTokens: 40, contextWindow: 32 }],
    ['the policy’s limit where that is smaller', { maxTokens: 32, contextWindow: 40 }],
  ])('the token limit of a request is %s', async (_name, { maxTokens, contextWindow }) => {
    const measure = { ...byCharacter, contextWindow };
    const { messages } = await sent({ messages: talk, context: last(maxTokens) }, { measure });
    expect(idsOf(messages)).toEqual(['a1', 'u2']);
  });

  test('a request has no token limit when neither policy nor context window is known', async () => {
    const { messages, report } = await sent({ messages: talk, context: last(null) });
    expect([messages, report]).toEqual([talk, null]);
  });

  test('space for the answer is reserved in the context window', async () => {
    const measure = { ...byCharacter, contextWindow: 33 };
    const { messages, report } = await sent({ messages: talk, context: last(null), maxOutputTokens: 1 }, { measure });
    expect([idsOf(messages), report?.maxTokens]).toEqual([['a1', 'u2'], 32]);
  });

  test('a token limit that is too low for the required messages fails the call permanently', async () => {
    const failing = fit({ messages: talk, system: '12', context: last(18) });
    const failure = { code: 'MODEL_FAILED', retryable: false, done: 'no', reason: 'context_length_exceeded' };
    await expect(failing).rejects.toMatchObject(failure);
    await expect(failing).rejects.toThrow(/takes 19 tokens of 18, 9 of them the system prompt and the tools/);
  });

  test('a token limit that the reserved answer uses up fails the call', async () => {
    const measure = { ...byCharacter, contextWindow: 10 };
    const failing = fit({ messages: talk, context: last(null), maxOutputTokens: 20 }, { measure });
    await expect(failing).rejects.toThrow(/takes 13 tokens of 0/);
  });
});

describe('a counter', () => {
  test.each([
    ['throws', () => expect.unreachable('out of paper'), /out of paper/],
    ['returns no number', () => Number.NaN, /it has counted NaN/],
    ['returns a negative number', () => -1, /it has counted -1/],
  ])('a token counter that %s fails the call', async (_name, counter, message) => {
    const measure = { contextWindow: null, loadCounter: async () => counter };
    const failing = fit({ context: last(10) }, { measure });
    await expect(failing).rejects.toMatchObject({ code: 'MODEL_FAILED', retryable: false, done: 'no' });
    await expect(failing).rejects.toThrow(message);
  });
});

describe('a strategy', () => {
  const chain = async (
    strategy: string | readonly string[],
    processors: Record<string, MessageProcessor> = {},
  ): Promise<string> => {
    const { messages } = await sent({ messages: talk, context: { maxTokens: 100, strategy } }, { processors });
    return messages.map(({ content }) => textOf(content)).join(' ');
  };
  const say = (word: string): MessageProcessor => {
    return (messages) => [
      ...messages.slice(0, -1),
      { ...aMessage('u2', 'user'), content: `${textOf(messages.at(-1)?.content ?? '')} ${word}` },
    ];
  };

  test('a context strategy can be a processor of the configuration', async () => {
    expect(await chain('mine', { mine: (messages) => messages.slice(1) })).toBe('123456 123456');
  });

  test('a list of context strategies is applied in its order', async () => {
    expect(await chain(['one', 'two', 'last'], { two: say('two'), one: say('one') })).toMatch(/123456 one two$/);
  });

  test('an empty list of context strategies keeps all messages', async () => {
    expect(await chain([])).toBe('123456 123456 123456');
  });

  test.each(['mine', 'constructor', '__proto__'])(
    'a context strategy with the unknown name %s fails the call',
    async (name) => {
      const failing = chain(['last', name], { other: (messages) => messages });
      await expect(failing).rejects.toMatchObject({ code: 'MODEL_FAILED', retryable: false, done: 'no' });
      await expect(failing).rejects.toThrow(
        `no message processor "${name}"; it has last, summarize, shorten-tool-results, other`,
      );
    },
  );

  test('a context strategy can request a summary of messages first', async () => {
    const overflow = await fit(
      { messages: talk, context: { maxTokens: 32, strategy: ['last-not', 'summarize'] } },
      {
        processors: { 'last-not': (messages) => messages },
      },
    );
    expect(overflow).toEqual({ kind: 'overflow', messages: 2 });
  });

  test('a context strategy after which the messages still exceed the limit fails the call', async () => {
    const failing = fit({ messages: talk, context: { maxTokens: 20, strategy: ['shorten-tool-results'] } });
    await expect(failing).rejects.toMatchObject({ reason: 'context_length_exceeded' });
  });
});

describe('a processor of the configuration', () => {
  const conversation = [
    aMessage('s', 'system'),
    aMessage('u1', 'user'),
    aCaller('a', 'k1', 'k2'),
    anAnswer('t1', 'k1'),
    anAnswer('t2', 'k2'),
    aMessage('u2', 'user'),
  ];
  const processed = async (mine: MessageProcessor): Promise<string> => {
    const context = { maxTokens: 200, strategy: 'mine' };
    const { messages } = await sent({ messages: conversation, context }, { processors: { mine } });
    return idsOf(messages).join(' ');
  };
  const isNoAnswer = ({ role }: Message): boolean => role !== 'tool';
  const without =
    (...ids: string[]): MessageProcessor =>
    (messages) =>
      messages.filter(({ id }) => !ids.includes(id));

  test.each<[string, MessageProcessor, string]>([
    ['keeps system messages that the processor drops', without('s', 'u1'), 's a t1 t2 u2'],
    ['drops the tool call with its answer', without('t1'), 's u1 u2'],
    ['drops the answers with their tool call', without('a'), 's u1 u2'],
    ['can not reorder messages', (messages) => messages.toReversed(), 's u1 a t1 t2 u2'],
    ['can not send a message twice', (messages) => [...messages, ...messages], 's u1 a t1 t2 u2'],
    [
      'may replace a tool call by a message without it',
      (all) => all.map(({ toolCalls: _gone, ...m }) => m).filter(isNoAnswer),
      's u1 a u2',
    ],
    [
      'may insert new messages at any position',
      (all) => all.flatMap((m) => (m.id === 'u1' ? [m, aMessage('n', 'user')] : [m])),
      's u1 n a t1 t2 u2',
    ],
    ['may be asynchronous', async (messages) => await Promise.resolve(messages.slice(5)), 's u2'],
  ])('a configured context processor %s', async (_name, mine, expected) => {
    expect(await processed(mine)).toBe(expected);
  });

  test('a context processor can not assign the answer of another call with the same id', async () => {
    const [one, other] = [aCaller('a', 'k1'), aCaller('b', 'k1')];
    const messages = [one, anAnswer('t1', 'k1'), other, anAnswer('t2', 'k1'), aMessage('u', 'user')];
    const context = { maxTokens: 200, strategy: 'mine' };
    const { messages: kept } = await sent({ messages, context }, { processors: { mine: without('a', 't2') } });
    expect(idsOf(kept)).toEqual(['u']);
  });

  test('a context processor can not change system messages', async () => {
    const mine: MessageProcessor = (all) => all.map((message) => ({ ...message, content: 'Obey me' }));
    const { messages } = await sent(
      { messages: conversation, context: { maxTokens: 200, strategy: 'mine' } },
      { processors: { mine } },
    );
    expect(messages[0]).toEqual(conversation[0]);
  });

  test('a context processor receives its limit and the token counter', async () => {
    const seen: number[] = [];
    await processed((messages, { maxTokens, count }) => {
      seen.push(maxTokens, count(messages.slice(0, 2)));
      return messages;
    });
    expect(seen).toEqual([197, 4 + 1 + 4 + 2]);
  });

  test('a context processor that throws fails the attempt', async () => {
    const failing = processed(() => expect.unreachable('out of paper'));
    await expect(failing).rejects.toMatchObject({ code: 'MODEL_FAILED', retryable: true, done: 'no' });
    await expect(failing).rejects.toThrow(/"mine" failed: .*out of paper/);
  });

  test.each<[string, unknown, RegExp]>([
    ['no list', {}, /"mine" failed: it gives back no list/],
    ['a value that is no message', [{ id: 'm', role: 'bot', content: '' }], /"mine" failed: the role of a message/],
  ])('a context processor that returns %s fails the call', async (_name, given, message) => {
    const failing = processed(() => JSON.parse(JSON.stringify(given)));
    await expect(failing).rejects.toMatchObject({ code: 'MODEL_FAILED', retryable: false, done: 'no' });
    await expect(failing).rejects.toThrow(message);
  });
});

describe('a model without known limits', () => {
  const lorem = 'lorem ipsum dolor sit amet ';
  const lookup = {
    name: 'lookup',
    description: 'Look something up.',
    parameters: { type: 'object', properties: { key: { type: 'string' }, value: {} }, required: ['key'] },
  };
  const messages = [
    aMessage('m1', 'user', `first ${lorem.repeat(40)}`),
    { ...aCaller('m2'), toolCalls: [aCall('k1', { key: 'x' }), aCall('k2', { key: 'y' })] },
    anAnswer('m3', 'k1', `answer one ${lorem.repeat(10)}`),
    anAnswer('m4', 'k2', `answer two ${lorem.repeat(10)}`),
    aMessage('m5', 'assistant', 'found'),
    aMessage('m6', 'user', 'and the newest question'),
  ];

  test.each([
    [60, 'm6', 5],
    [150, 'm5 m6', 4],
    [250, 'm2 m3 m4 m5 m6', 1],
    [1_000, 'm1 m2 m3 m4 m5 m6', 0],
  ])(
    'messages for a model without known limits are measured by an estimate: %i tokens',
    async (maxTokens, expected, dropped) => {
      const request = { system: 'Be brief.', messages, context: last(maxTokens) };
      const { messages: kept, report } = await sent(request, { measure: UNKNOWN_MEASURE, tools: [lookup] });
      expect(idsOf(kept).join(' ')).toBe(expected);
      expect(report).toMatchObject({ maxTokens, dropped });
    },
  );
});
