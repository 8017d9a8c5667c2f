import { describe, expect, test } from 'vitest';
import type { ModelReply } from '../../../../src/graph/run/effect.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import {
  REPLIES,
  aCandidate,
  aClaudeMessage,
  aCompletion,
  aFunctionCall,
  aGoogleCall,
  aMessage,
  aResponse,
  aToolCall,
  aToolUse,
  claudeEvents,
  completionEvents,
  responseEvents,
} from '../../../support/builders/provider-replies.ts';
import { askModel, dataEvents, namedEvents } from '../../../support/doubles/asked-model.ts';
import type { AskedModelSettings, Provider } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';
import { at } from '../../../support/readers/json-at.ts';

const server = await useLoopbackServer();

interface RoundTrip {
  readonly provider: Provider;
  readonly given: Answer;
  readonly asking?: AskedModelSettings;
  /** The receiver of the next request. */
  readonly next?: AskedModelSettings & { readonly provider?: Provider };
  readonly edited?: JsonObject;
}

/** Returns the part of the next request that contains the message of a reply. */
async function sentBack({ provider, given, asking, next = {}, edited }: RoundTrip): Promise<Json> {
  server.answers(given);
  const reply = await askModel(server, provider, asking);
  const { provider: reader = provider, ...rest } = next;
  server.answers(REPLIES[reader].text);
  const messages = [
    { id: 'm1', role: 'user', content: 'Go' } as const,
    { ...asMessage(reply), ...edited },
    ...reply.toolCalls.map(({ id }) => ({ id: `a${id}`, role: 'tool', content: 'Done', toolCallId: id }) as const),
  ];
  await askModel(server, reader, { ...asking, ...rest, stream: false, request: { messages } });
  return JSON.parse(server.requests[1]?.body ?? '');
}

function asMessage({ text, toolCalls, providerParts }: ModelReply) {
  return {
    id: 'm2',
    role: 'assistant',
    content: text,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(providerParts && { providerParts }),
  } as const;
}

const THINKING = { type: 'thinking', thinking: 'Hm.', signature: 'sig-1' };
const REDACTED = { type: 'redacted_thinking', data: 'secret-1' };
const SAID = { type: 'text', text: 'I look.' };
const CLAUDE = [THINKING, REDACTED, SAID, aToolUse('t1', 7)];

describe('Anthropic', () => {
  const roundTrip: RoundTrip = { provider: 'anthropic', given: json(aClaudeMessage(CLAUDE, 'tool_use')) };

  test('Anthropic receives its thinking blocks again with their signatures, at their position', async () => {
    expect(at(await sentBack(roundTrip), '/messages/1/content')).toEqual(CLAUDE);
  });

  test('Anthropic receives the thinking blocks of a stream again', async () => {
    const given = namedEvents(...claudeEvents(CLAUDE, 'tool_use'));
    expect(at(await sentBack({ ...roundTrip, given, asking: { stream: true } }), '/messages/1/content')).toEqual(
      CLAUDE,
    );
  });

  test('Anthropic does not receive thinking blocks of an edited text', async () => {
    const body = await sentBack({ ...roundTrip, edited: { content: 'I looked.' } });
    expect(at(body, '/messages/1/content')).toEqual([{ type: 'text', text: 'I looked.' }, aToolUse('t1', 7)]);
  });

  test('Anthropic receives the arguments with which a tool call was made, not those that the model requested', async () => {
    const toolCalls = [{ id: 't1', name: 'lookup', args: { order: 8 } }];
    const body = await sentBack({ ...roundTrip, edited: { toolCalls } });
    expect(at(body, '/messages/1/content')).toEqual([THINKING, REDACTED, SAID, aToolUse('t1', 8)]);
  });
});

const reasoning = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: 'enc-1',
};
const OUTPUT = [reasoning, aMessage('I look.'), aFunctionCall('t1', 7)];
const openai: RoundTrip = { provider: 'openai', given: json(aResponse(OUTPUT)), asking: { model: 'gpt-5' } };

describe('OpenAI', () => {
  test('OpenAI receives its encrypted reasoning before the output that followed it', async () => {
    expect(at(await sentBack(openai), '/input')).toMatchObject([
      { role: 'user' },
      reasoning,
      { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 't1' },
      { type: 'function_call_output', call_id: 't1' },
    ]);
  });

  test('OpenAI receives the reasoning of a stream again', async () => {
    const given = responseEvents(OUTPUT);
    const asking = { model: 'gpt-5', stream: true };
    expect(at(await sentBack({ ...openai, given, asking }), '/input/1')).toMatchObject({ encrypted_content: 'enc-1' });
  });

  test('OpenAI does not receive the reasoning of another model', async () => {
    const body = await sentBack({ ...openai, next: { model: 'gpt-4.1' } });
    expect(JSON.stringify(body)).not.toContain('enc-1');
    expect(at(body, '/input')).toMatchObject([{}, { role: 'assistant' }, {}, {}]);
  });

  test('OpenAI receives no item ids when nothing is stored', async () => {
    const body = await sentBack({ provider: 'openai', given: REPLIES.openai.calls });
    expect(JSON.stringify(body)).not.toMatch(/msg_1|fc_t1|item_reference/);
  });
});

describe('Google', () => {
  const signed = [{ text: 'I look.' }, aGoogleCall('t1', 7, 'sig-1'), aGoogleCall('t2', 8)];

  test.each<[string, Answer, AskedModelSettings]>([
    ['at once', json(aCandidate(signed, 'STOP')), {}],
    [
      'in a stream',
      dataEvents(aCandidate(signed.slice(0, 1), null), aCandidate(signed.slice(1), 'STOP')),
      { stream: true },
    ],
  ])('Google receives its signatures again that came %s', async (_way, given, asking) => {
    expect(at(await sentBack({ provider: 'google', given, asking }), '/contents/1/parts')).toEqual(signed);
  });

  test('Google receives the signature of a text again', async () => {
    const parts = [{ text: 'Hi', thoughtSignature: 'sig-2' }];
    const given = json(aCandidate(parts, 'STOP'));
    expect(at(await sentBack({ provider: 'google', given }), '/contents/1/parts')).toEqual(parts);
  });
});

describe('a compatible server', () => {
  const provider = 'openai-compatible';
  const message = { content: null, reasoning_content: 'Hm.', tool_calls: [aToolCall('t1', 7)] };

  test.each<[string, Answer, AskedModelSettings]>([
    ['at once', json(aCompletion(message, 'tool_calls')), {}],
    [
      'in a stream',
      completionEvents(
        [{ reasoning_content: 'Hm.' }, { tool_calls: [{ index: 0, ...aToolCall('t1', 7) }] }],
        'tool_calls',
      ),
      { stream: true },
    ],
  ])(
    'an OpenAI-compatible server receives its reasoning from before tool calls again, which came %s',
    async (_way, given, asking) => {
      expect(at(await sentBack({ provider, given, asking }), '/messages/1')).toMatchObject(message);
    },
  );

  test('an OpenAI-compatible server does not receive its reasoning from before an answer', async () => {
    const given = json(aCompletion({ content: 'Hi', reasoning_content: 'Hm.' }, 'stop'));
    expect(JSON.stringify(await sentBack({ provider, given }))).not.toContain('Hm.');
  });

  test('an OpenAI-compatible server for Google models receives its signatures again', async () => {
    const extra_content = { google: { thought_signature: 'sig-1' } };
    const given = json(
      aCompletion({ content: null, tool_calls: [{ ...aToolCall('t1', 7), extra_content }] }, 'tool_calls'),
    );
    expect(at(await sentBack({ provider, given }), '/messages/1/tool_calls')).toEqual([
      { ...aToolCall('t1', 7), extra_content },
    ]);
  });
});

test.each<Provider>(['anthropic', 'google', 'openai-compatible'])(
  'the provider %s does not receive reasoning parts of OpenAI',
  async (provider) => {
    const text = JSON.stringify(await sentBack({ ...openai, asking: {}, next: { provider } }));
    expect(text).toContain('I look.');
    expect(text).not.toMatch(/enc-1|rs_1|Hm\./);
  },
);

test('invalid provider parts of a message are ignored', async () => {
  for (const providerParts of ['none', { provider: 'openai' }, { provider: 'openai', parts: 'none' }]) {
    server.forget();
    expect(at(await sentBack({ ...openai, edited: { providerParts } }), '/input')).toMatchObject([
      {},
      { role: 'assistant' },
      {},
      {},
    ]);
  }
});
