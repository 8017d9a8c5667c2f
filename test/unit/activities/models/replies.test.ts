import { describe, expect, test } from 'vitest';
import type { ModelReply } from '../../../../src/graph/run/effect.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import {
  REPLIES,
  STREAMS,
  aCandidate,
  aClaudeMessage,
  aCompletion,
  aResponse,
  claudeEvents,
  completionEvents,
  responseEvents,
} from '../../../support/builders/provider-replies.ts';
import { PROVIDERS, askModel, dataEvents, failureOf, namedEvents } from '../../../support/doubles/asked-model.ts';
import type { AskedModelSettings, Provider } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

async function replyTo(provider: Provider, given: Answer, asking: AskedModelSettings = {}): Promise<ModelReply> {
  server.answers(given);
  return await askModel(server, provider, asking);
}

const usage = { inputTokens: 12, outputTokens: 3 };
const WAYS = [
  { way: 'at once', stream: false, replies: REPLIES },
  { way: 'in a stream', stream: true, replies: STREAMS },
];
const CASES = PROVIDERS.flatMap((provider) => WAYS.map((how) => ({ provider, ...how })));

describe.each(CASES)('an answer of $provider $way', ({ provider, stream, replies }) => {
  test('a provider’s answer is read as a text and its usage', async () => {
    const expected = { kind: 'model', text: 'Hi', toolCalls: [], finishReason: 'stop', usage };
    expect(await replyTo(provider, replies[provider].text, { stream })).toEqual(expected);
  });

  test('a provider’s answer is read as a text and several tool calls', async () => {
    const toolCalls = [7, 8].map((order, at) => ({ id: `t${at + 1}`, name: 'lookup', args: { order } }));
    const expected = { kind: 'model', text: 'I look.', toolCalls, finishReason: 'tool-calls', usage };
    expect(await replyTo(provider, replies[provider].calls, { stream })).toEqual(expected);
  });

  test('a provider’s answer calls tools by their names in the configuration', async () => {
    const tools = [{ name: 'lookup', description: '', parameters: true }];
    const dotted = [{ name: '.lookup', description: '', parameters: true }, ...tools];
    const { toolCalls } = await replyTo(provider, replies[provider].calls, { stream, request: { tools: dotted } });
    expect(toolCalls).toMatchObject([{ name: 'lookup' }, { name: 'lookup' }]);
  });

  test('a provider’s answer may be truncated by the length limit', async () => {
    const reply = await replyTo(provider, replies[provider].truncated, { stream });
    expect(reply).toMatchObject({ text: 'Hi', finishReason: 'length' });
  });

  test('a provider’s answer that the length limit ends without text fails', async () => {
    server.answers(replies[provider].unsaid);
    const failure = await failureOf(askModel(server, provider, { stream }));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: false, reason: 'truncated', usage });
    expect(failure.message).toContain('before it said anything; raise maxOutputTokens');
  });
});

describe.each(CASES.filter(({ provider }) => provider !== 'anthropic'))(
  'an answer that $provider filters $way',
  ({ provider, stream, replies }) => {
    test('a content filter’s answer is distinguished from a refusal', async () => {
      const reply = await replyTo(provider, replies[provider].filtered, { stream });
      expect(reply).toMatchObject({ text: '', finishReason: 'content-filter' });
    });
  },
);

const REFUSED = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'refusal', refusal: 'I won’t.' }],
};
const CLAUDE_REFUSED = [{ type: 'text', text: 'I won’t.' }];

describe('a refusal', () => {
  test.each<[string, Provider, Answer, AskedModelSettings]>([
    ['at once', 'openai', json(aResponse([REFUSED])), {}],
    ['in a stream', 'openai', responseEvents([REFUSED]), { stream: true }],
    ['at once', 'anthropic', json(aClaudeMessage(CLAUDE_REFUSED, 'refusal')), {}],
    ['in a stream', 'anthropic', namedEvents(...claudeEvents(CLAUDE_REFUSED, 'refusal')), { stream: true }],
    ['at once', 'openai-compatible', json(aCompletion({ content: null, refusal: 'I won’t.' }, 'stop')), {}],
    [
      'in a stream',
      'openai-compatible',
      completionEvents([{ refusal: 'I ' }, { refusal: 'won’t.' }], 'stop'),
      { stream: true },
    ],
  ])('a refusal %s of %s is recognized, with its text', async (...[, provider, given, asking]) => {
    expect(await replyTo(provider, given, asking)).toMatchObject({ text: 'I won’t.', finishReason: 'refusal', usage });
  });
});

describe('an answer of Google', () => {
  test.each([
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
  ])('an answer of Google that ends with %s is filtered', async (reason) => {
    expect(await replyTo('google', json(aCandidate([], reason)))).toMatchObject({ finishReason: 'content-filter' });
  });

  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 12 } };

  test.each<[string, boolean, Answer]>([
    ['at once', false, json(blocked)],
    ['in a stream', true, dataEvents(blocked)],
  ])('an answer of Google to a blocked prompt is filtered, %s', async (_way, stream, given) => {
    expect(await replyTo('google', given, { stream })).toMatchObject({ finishReason: 'content-filter', text: '' });
  });

  test.each(
    ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'OTHER', 'NEW'].flatMap((reason) => [
      { reason, way: 'at once', stream: false, send: json },
      { reason, way: 'in a stream', stream: true, send: dataEvents },
    ]),
  )('an answer of Google without text that ends with $reason, $way, is retryable', async ({ reason, stream, send }) => {
    server.answers(send(aCandidate([], reason)));
    const failure = await failureOf(askModel(server, 'google', { stream }));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: true, done: 'perhaps', usage });
    expect(failure.message).toContain(reason);
  });

  test('an answer of Google that ends with OTHER after some text is accepted', async () => {
    const reply = await replyTo('google', json(aCandidate([{ text: 'Hi' }], 'OTHER')));
    expect(reply).toMatchObject({ text: 'Hi', finishReason: 'other' });
  });
});

describe('an answer without text', () => {
  test.each<[Provider, JsonObject]>([
    ['anthropic', aClaudeMessage([], 'end_turn')],
    ['google', aCandidate([], 'STOP')],
    ['openai', aResponse([])],
    ['openai-compatible', aCompletion({ content: '' }, 'stop')],
  ])('an answer without text is accepted when the model of %s has finished', async (provider, answer) => {
    expect(await replyTo(provider, json(answer))).toMatchObject({ text: '', finishReason: 'stop', usage });
  });

  test.each(['tool_calls', 'eos'])('an answer without text is refused when it ends with %s', async (reason) => {
    server.answers(json(aCompletion({ content: '\n' }, reason)));
    const failure = await failureOf(askModel(server, 'openai-compatible'));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: true, usage });
    expect(failure.message).toContain(reason);
  });
});

describe('usage', () => {
  test('tokens that Anthropic read from its cache count as input tokens', async () => {
    const usage = { input_tokens: 2, cache_creation_input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 3 };
    const given = json({ ...aClaudeMessage([{ type: 'text', text: 'Hi' }], 'end_turn'), usage });
    expect((await replyTo('anthropic', given)).usage).toEqual({ inputTokens: 12, outputTokens: 3 });
  });

  test('thinking tokens of Gemini count as output tokens', async () => {
    const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 1, thoughtsTokenCount: 2 };
    const given = json({ ...aCandidate([{ text: 'Hi' }], 'STOP'), usageMetadata });
    expect((await replyTo('google', given)).usage).toEqual({ inputTokens: 12, outputTokens: 3 });
  });
});

test('a dotted tool name is restored from the spelling sent to the provider', async () => {
  const call = { id: 't1', type: 'function', function: { name: 'crm_lookup', arguments: '{}' } };
  const tools = [{ name: 'crm.lookup', description: '', parameters: true }];
  const given = json(aCompletion({ content: null, tool_calls: [call] }, 'tool_calls'));
  const { toolCalls } = await replyTo('openai-compatible', given, { request: { tools } });
  expect(toolCalls).toEqual([{ id: 't1', name: 'crm.lookup', args: {} }]);
});
