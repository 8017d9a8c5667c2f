import { describe, expect, test } from 'vitest';
import type { OverflowReply } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CHANNELS, asks, modelDown, playAgent, says, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Said } from '../../support/builders/agents.ts';
import { firstLogged } from '../../support/builders/runs.ts';

const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const overflow = (messages: number): OverflowReply => ({ kind: 'overflow', messages });
const context = { maxTokens: 100, strategy: 'summarize' } as const;

const playLong = (replies: readonly Said[], agent: Agent = {}): Played => playAgent({ context, ...agent }, { replies });

const sentBy = ({ requests }: Played): readonly (readonly string[])[] =>
  requests.map(({ messages }) => messages.map(({ id }) => id));

const FAILED = { code: 'MODEL_FAILED', cause: { code: 'context_length_exceeded' } };

describe('a conversation that does not fit', () => {
  test('a conversation above the context limit is summarized by a separate call, and then the model is called again', () => {
    const played = playLong([asks(look('a')), overflow(2), 'brief', 'done']);
    expect(sentBy(played)).toEqual([
      ['prompt'],
      ['prompt', 'conversation-0', 'conversation-1'],
      ['prompt', 'conversation-0', 'summarize-0'],
      ['summary', 'conversation-1'],
    ]);
    expect(played.requests[2]).toMatchObject({
      tools: [],
      output: null,
      maxOutputTokens: 25,
      context: { strategy: 'last' },
    });
    expect(played.requests[3]?.messages[0]?.content).toContain('brief');
    expect(played.keys).toHaveLength(5);
    expect(firstLogged(played.run)).toMatchObject({ text: 'done', iterations: 2, usage: { inputTokens: 30 } });
  });

  test('a conversation above the context limit is summarized repeatedly, including the older summary', () => {
    const played = playLong([asks(look('a')), overflow(2), 'one', asks(look('b')), overflow(3), 'two', 'done']);
    expect(sentBy(played).slice(4)).toEqual([
      ['summary', 'conversation-1', 'conversation-2', 'conversation-3'],
      ['summary', 'conversation-1', 'conversation-2', 'summarize-0'],
      ['summary', 'conversation-3'],
    ]);
    expect(played.requests[5]?.messages[0]?.content).toContain('one');
    expect(played.requests[6]?.messages[0]?.content).toContain('two');
  });

  test('a conversation above the context limit may be summarized twice before it fits', () => {
    const played = playLong([asks(look('a'), look('b')), overflow(2), 'one', overflow(2), 'two', 'done']);
    expect(sentBy(played).at(-1)).toEqual(['summary', 'conversation-2']);
    expect(firstLogged(played.run)).toMatchObject({ text: 'done' });
  });

  test.each<[string, readonly Said[]]>([
    ['no message could be omitted', [overflow(0)]],
    ['its summary does not fit either', [overflow(1), 'brief', overflow(1)]],
    ['the request for a summary does not fit', [overflow(1), overflow(1)]],
    ['the model asks to omit more messages than there are', [overflow(99), 'brief', overflow(99)]],
  ])('a conversation above the context limit fails if %s', (_name, replies) => {
    expect(playLong(replies).run.run.error).toMatchObject(FAILED);
  });

  test('a conversation is summarized a bounded number of times, even if no request ever fits', () => {
    const { run, requests } = playLong([
      asks(look('a'), look('b'), look('c')),
      ...Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? overflow(2) : 'brief')),
    ]);
    expect(run.run.error).toMatchObject(FAILED);
    expect(requests).toHaveLength(1 + 2 * 4 + 1);
  });

  test('a conversation above the context limit loses no message after its corrections did not fit', () => {
    const output = { type: 'object', required: ['n'] } as const;
    const played = playLong(['{}', overflow(3), 'brief', asks(look('a')), '{"n": 1}'], { output });
    expect(sentBy(played).slice(1)).toEqual([
      ['prompt', 'correction-0', 'correction-1'],
      ['prompt', 'summarize-0'],
      ['summary', 'correction-0', 'correction-1'],
      ['summary', 'conversation-0', 'conversation-1'],
    ]);
    expect(toolResultsIn(played)).toEqual(['a']);
  });

  test('a conversation above the context limit is not summarized for a model that is not called', () => {
    const played = playLong([overflow(1), modelDown, 'done'], { model: ['default', 'spare'] });
    expect(played.requests.map(({ model }) => model)).toEqual(['default', 'default', 'spare']);
    expect(sentBy(played).at(-1)).toEqual(['prompt']);
  });

  test('a conversation is sent to the next model if it does not fit even with a summary', () => {
    const played = playLong([overflow(1), 'brief', overflow(1), 'done'], { model: ['default', 'spare'] });
    expect(played.requests.map(({ model }) => model)).toEqual(['default', 'default', 'default', 'spare']);
    expect([played.run.run.status, sentBy(played).at(-1)]).toEqual(['completed', ['summary']]);
  });

  test('a conversation above the context limit keeps its summary when the agent fails and is retried', () => {
    const played = playLong([asks(look('a')), overflow(2), 'brief', modelDown, 'done']);
    played.run.reopen('retry');
    expect(sentBy(played).at(-1)).toEqual(['summary', 'conversation-1']);
    expect(new Set(played.keys).size).toBe(played.keys.length);
  });

  test.each<[string, Json, readonly string[]]>([
    ['shorter', { $replace: [{ id: 'n1', role: 'user', content: 'new' }] }, ['n1', 'conversation-0', 'conversation-1']],
    ['at its end', [{ id: 'n1', role: 'user', content: 'new' }], ['summary', 'n1', 'conversation-0', 'conversation-1']],
    [
      'within its kept messages',
      [{ id: 'm1', role: 'user', content: 'put right' }],
      ['summary', 'conversation-0', 'conversation-1'],
    ],
  ])(
    'a conversation above the context limit loses no message if the agent has failed and its conversation is edited %s',
    (_name, chat, sent) => {
      const said = ['m1', 'm2'].map((id) => ({ id, role: 'user', content: id }));
      const { run, ...played } = playAgent(
        { messages: 'chat', context },
        {
          replies: [overflow(2), 'brief', asks(look('a')), modelDown, 'done'],
          graph: { channels: { ...CHANNELS, chat: { reducer: 'messages', default: said } } },
        },
      );
      expect(sentBy({ run, ...played }).at(-1)).toEqual(['summary', 'conversation-0', 'conversation-1']);
      run.reopen('edit', { values: { chat } });
      run.reopen('retry');
      expect([run.run.status, sentBy({ run, ...played }).at(-1)]).toEqual(['completed', sent]);
    },
  );

  test("a conversation above the context limit has enough tokens for its summary if the model's limit is unknown", () => {
    const played = playLong([overflow(1), says('brief'), 'done'], { context: { strategy: 'summarize' } });
    expect(played.requests[1]).toMatchObject({ maxOutputTokens: 4_000, context: { maxTokens: null } });
    expect(played.requests[1]?.messages.at(-1)?.content).toMatch(/in 500 words at most\.$/);
  });
});

describe('a summary', () => {
  const useless: readonly (readonly [string, Said, object])[] = [
    ['is empty', says(' \n'), { code: 'MODEL_FAILED', message: 'The model wrote no summary of the conversation' }],
    ['has calls only', asks(look('a')), { code: 'MODEL_FAILED' }],
    ['is cut off before its first word', says('', { finishReason: 'length' }), { cause: { code: 'truncated' } }],
    ['is cut off', says('I have pa', { finishReason: 'length' }), { cause: { code: 'truncated' } }],
  ];

  test.each(useless)(
    'a summary that %s replaces nothing: the agent fails, and a retry requests a summary again',
    (_what, said, error) => {
      const played = playLong([asks(look('a')), overflow(2), said, overflow(2), 'brief', 'done']);
      expect(played.run.run.error).toMatchObject({ code: 'MODEL_FAILED', node: 'a', ...error });
      expect(played.calls).toHaveLength(1);
      played.run.reopen('retry');
      expect(sentBy(played).slice(3)).toEqual([
        ['prompt', 'conversation-0', 'conversation-1'],
        ['prompt', 'conversation-0', 'summarize-0'],
        ['summary', 'conversation-1'],
      ]);
      expect(firstLogged(played.run)).toMatchObject({ text: 'done', usage: { inputTokens: 40 } });
    },
  );

  test.each(useless)('a summary that %s lets the next model be called with the whole conversation', (_what, said) => {
    const played = playLong([overflow(1), said, 'done'], { model: ['default', 'spare'] });
    expect(played.requests.map(({ model }) => model)).toEqual(['default', 'default', 'spare']);
    expect([played.run.run.status, sentBy(played).at(-1)]).toEqual(['completed', ['prompt']]);
  });
});

test('instructions in a conversation are never summarized', () => {
  const roles = ['system', 'user', 'assistant', 'system', 'user'] as const;
  const chat = roles.map((role, at) => ({ id: `${role}-${at}`, role, content: 'x' }));
  const channels = { chat: { reducer: 'messages', default: chat }, log: { reducer: 'append' } } as const;
  const replies = [overflow(3), 'one', overflow(3), 'two', 'done'];
  const played = playAgent({ context, messages: 'chat' }, { replies, graph: { channels } });
  expect(sentBy(played)).toEqual([
    ['system-0', 'user-1', 'assistant-2', 'system-3', 'user-4'],
    ['system-0', 'user-1', 'assistant-2', 'summarize-0'],
    ['system-0', 'summary', 'system-3', 'user-4'],
    ['system-0', 'summary', 'system-3', 'summarize-0'],
    ['system-0', 'system-3', 'summary', 'user-4'],
  ]);
});

test.each<[Agent, Json]>([
  [{}, null],
  [{ context: {} }, { maxTokens: null, strategy: 'last' }],
  [{ context: { maxTokens: 9 } }, { maxTokens: 9, strategy: 'last' }],
  [{ context: { strategy: ['summarize', 'last'] } }, { maxTokens: null, strategy: ['summarize', 'last'] }],
])('an agent with %j has the context settings %j', (agent, sent) => {
  expect(playAgent(agent, { replies: ['x'] }).requests[0]?.context).toEqual(sent);
});

test.each([[{}], [{ context: {} }]])('the context window of a model limits a conversation with %j', (agent) => {
  const models = { default: { contextWindow: 8_000 } };
  const { requests } = playAgent(agent, { replies: ['x'], catalog: { models } });
  expect(requests[0]?.context).toEqual({ maxTokens: 8_000, strategy: 'last' });
});
