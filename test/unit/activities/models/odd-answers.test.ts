import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import {
  aCandidate,
  aClaudeMessage,
  aCompletion,
  aFunctionCall,
  aMessage,
  aResponse,
  aToolUse,
  begunResponse,
  claudeEvents,
} from '../../../support/builders/provider-replies.ts';
import { PROVIDERS, askModel, dataEvents, failureOf } from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { answer, json } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

const chunk = (delta: Json, over: JsonObject = {}): JsonObject => ({ choices: [{ index: 0, delta }], ...over });
const END = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const USAGE = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } };
const stream = (...events: Json[]): Answer => dataEvents(...events, '[DONE]');
const oddStream = (...events: Json[]): Answer => stream(...events, END, USAGE);
const callOf = (call: Json): JsonObject => chunk({ content: null, tool_calls: call });
const whole = (message: JsonObject, over: JsonObject = {}): Answer =>
  json({ ...aCompletion(message, 'stop'), ...over });

const TEXT = { text: 'Hi', toolCalls: [], usage: { inputTokens: 12, outputTokens: 3 } };
const CALL = { text: '', toolCalls: [{ name: 'lookup', args: { order: 7 } }] };
const named = (id: string): JsonObject => ({ toolCalls: [{ id, name: 'lookup', args: { order: 7 } }] });
const MADE = { name: 'lookup', arguments: '{"order":7}' };
const MADE_AS_OBJECT = { name: 'lookup', arguments: { order: 7 } };

const CLAUDE = claudeEvents([{ type: 'text', text: 'Hi' }], 'end_turn');
const [CLAUDE_START = {}] = CLAUDE;
const GEMINI = aCandidate([{ text: 'Hi' }], 'STOP');
const RESPONSE = begunResponse([aMessage('Hi')]);
const COMPLETED = { type: 'response.completed', response: aResponse([]) };

/** Answers with unusual members, and what is read of them. */
const ODD: readonly (readonly [string, Provider, Answer, object])[] = [
  ['arguments as an object', 'openai-compatible', oddStream(callOf([{ index: 0, function: MADE_AS_OBJECT }])), CALL],
  ['a single call as an object', 'openai-compatible', oddStream(callOf({ index: 0, function: MADE })), CALL],
  ['a call without a function', 'openai-compatible', oddStream(callOf([{ id: 'k', ...MADE }])), named('k')],
  ['an id as a number', 'openai-compatible', oddStream(callOf([{ index: 0, id: 7, function: MADE }])), named('7')],
  ['an index as text', 'openai-compatible', oddStream(callOf([{ index: '0', id: 'k', function: MADE }])), named('k')],
  [
    'a piece without content',
    'openai-compatible',
    oddStream(callOf([{ index: 0, id: 'k', function: MADE }]), callOf([{ index: 0 }])),
    named('k'),
  ],
  [
    'null for a piece',
    'openai-compatible',
    oddStream(callOf([{ index: 0, id: 'k', function: MADE }]), callOf([null])),
    named('k'),
  ],
  [
    'null members',
    'openai-compatible',
    oddStream(chunk({ content: 'Hi', tool_calls: null, refusal: null, reasoning: null }, { error: null, usage: null })),
    TEXT,
  ],
  ['an error that is false', 'openai-compatible', oddStream(chunk({ content: 'Hi' }, { error: false })), TEXT],
  ['an error without members', 'openai-compatible', oddStream(chunk({ content: 'Hi' }, { error: {} })), TEXT],
  ['another role', 'openai-compatible', oddStream(chunk({ role: 'model', content: 'Hi' })), TEXT],
  [
    'an id and a time of other types',
    'openai-compatible',
    oddStream(chunk({ content: 'Hi' }, { id: 5, created: '1', model: [] })),
    TEXT,
  ],
  [
    'usage as text',
    'openai-compatible',
    stream(chunk({ content: 'Hi' }), END, { choices: [], usage: { prompt_tokens: '12', completion_tokens: '3' } }),
    TEXT,
  ],
  [
    'usage in details of other types',
    'openai-compatible',
    stream(chunk({ content: 'Hi' }), END, {
      usage: { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: 'none' },
    }),
    TEXT,
  ],
  [
    'usage as a list',
    'openai-compatible',
    stream(chunk({ content: 'Hi' }), END, { choices: [], usage: [] }),
    { text: 'Hi', usage: { inputTokens: 0, outputTokens: 0 } },
  ],
  [
    'parts in place of text',
    'openai-compatible',
    oddStream(chunk({ content: ['H', { type: 'text', text: 'i' }, { type: 'new', note: 1 }] })),
    TEXT,
  ],
  [
    'empty finish reasons',
    'openai-compatible',
    stream({ choices: [{ delta: { content: 'Hi' }, finish_reason: '' }] }, END, USAGE),
    { ...TEXT, finishReason: 'stop' },
  ],
  [
    'a message in place of a delta',
    'openai-compatible',
    oddStream({ choices: [{ message: { content: 'Hi' } }] }),
    TEXT,
  ],
  [
    'the whole message after its pieces',
    'openai-compatible',
    oddStream(chunk({ content: 'Hi' }), { choices: [{ message: { content: 'Hi' } }] }),
    TEXT,
  ],
  [
    'unknown events',
    'openai-compatible',
    oddStream({ type: 'ping' }, chunk({ content: 'Hi' }), null, { object: 'progress', percent: 3 }),
    TEXT,
  ],
  ['a choice as an object', 'openai-compatible', oddStream({ choices: { delta: { content: 'Hi' } } }), TEXT],
  [
    'an unended last event',
    'openai-compatible',
    answer(
      200,
      { 'content-type': 'text/event-stream' },
      [chunk({ content: 'Hi' }), USAGE, END].map((event) => `data:${JSON.stringify(event)}`).join('\r\n\r\n'),
    ),
    TEXT,
  ],
  [
    'arguments as an object',
    'openai-compatible',
    whole({ content: null, tool_calls: [{ id: 7, function: MADE_AS_OBJECT }] }),
    named('7'),
  ],
  ['a legacy call', 'openai-compatible', whole({ content: null, function_call: MADE }), CALL],
  [
    'no arguments',
    'openai-compatible',
    whole({ content: null, tool_calls: [{ id: 'k', function: { name: 'lookup' } }] }),
    { toolCalls: [{ id: 'k', name: 'lookup', args: {} }] },
  ],
  [
    'null members',
    'openai-compatible',
    whole({ content: 'Hi', tool_calls: null, role: 'model', annotations: [] }, { error: null, created: null, id: 5 }),
    TEXT,
  ],

  [
    'an unknown event',
    'anthropic',
    stream(CLAUDE_START, { type: 'gateway_event', message: 'x' }, ...CLAUDE.slice(1)),
    TEXT,
  ],
  [
    'an unknown block',
    'anthropic',
    stream(
      CLAUDE_START,
      { type: 'content_block_start', index: 9, content_block: { type: 'later' } },
      { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'x' } },
      { type: 'content_block_stop', index: 9 },
      ...CLAUDE.slice(1),
    ),
    TEXT,
  ],
  [
    'an unknown delta',
    'anthropic',
    stream(CLAUDE_START, { type: 'content_block_delta', index: 0, delta: { type: 'later_delta' } }, ...CLAUDE.slice(1)),
    TEXT,
  ],
  ['a block without a start', 'anthropic', stream(CLAUDE_START, ...CLAUDE.slice(2)), TEXT],
  [
    'indexes as text',
    'anthropic',
    stream(...CLAUDE.map((event) => ('index' in event ? { ...event, index: '0' } : event))),
    TEXT,
  ],
  [
    'null members and no usage',
    'anthropic',
    stream(
      { type: 'message_start', message: { id: 5, usage: null, content: null, container: 'x' } },
      ...CLAUDE.slice(1),
    ),
    { text: 'Hi', usage: { inputTokens: 0, outputTokens: 3 } },
  ],
  [
    'a second start',
    'anthropic',
    stream(CLAUDE_START, { ...CLAUDE_START, message: { id: 'm2' } }, ...CLAUDE.slice(1)),
    TEXT,
  ],
  ['an error that is null', 'anthropic', stream(...CLAUDE.map((event) => ({ ...event, error: null }))), TEXT],
  [
    'text at the start of a block',
    'anthropic',
    stream(
      CLAUDE_START,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      ...CLAUDE.slice(3),
    ),
    TEXT,
  ],
  [
    'unknown blocks',
    'anthropic',
    json({
      ...aClaudeMessage([{ type: 'later' }, { type: 'text', text: 'Hi', citations: 'x' }], 'end_turn'),
      container: 1,
    }),
    TEXT,
  ],
  [
    'an id as a number and input as text',
    'anthropic',
    json(aClaudeMessage([{ ...aToolUse('', 7), id: 7, input: '{"order":7}' }], 'tool_use')),
    named('7'),
  ],
  ['content as text', 'anthropic', json({ ...aClaudeMessage([], 'end_turn'), content: 'Hi', type: 'later' }), TEXT],

  ['unknown parts', 'google', stream(aCandidate([{ later: 1 }], null), GEMINI), TEXT],
  [
    'null members',
    'google',
    stream({ ...GEMINI, promptFeedback: null, error: null, responseId: 5, modelVersion: null }),
    TEXT,
  ],
  [
    'metadata of other types',
    'google',
    json({
      ...GEMINI,
      candidates: [
        { content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP', groundingMetadata: 'x', safetyRatings: 'y' },
      ],
    }),
    TEXT,
  ],
  [
    'names in snake case',
    'google',
    json({
      candidates: [
        { content: { parts: [{ function_call: { name: 'lookup', args: { order: 7 } } }] }, finish_reason: 'STOP' },
      ],
      usage_metadata: { prompt_token_count: '12', candidates_token_count: 3 },
    }),
    { ...CALL, usage: TEXT.usage },
  ],
  [
    'arguments as text and an id as a number',
    'google',
    stream(aCandidate([{ functionCall: { id: 7, name: 'lookup', args: '{"order":7}' } }], 'STOP')),
    named('7'),
  ],
  [
    'arguments as text in a whole answer',
    'google',
    json(aCandidate([{ functionCall: { id: 7, name: 'lookup', args: '{"order":7}' } }], 'STOP')),
    named('7'),
  ],
  [
    'a part as an object',
    'google',
    json({ ...GEMINI, candidates: [{ content: { parts: { text: 'Hi' } }, finishReason: 'STOP' }] }),
    TEXT,
  ],

  [
    'an unknown event and item',
    'openai',
    stream(
      { type: 'response.later' },
      { type: 'response.output_item.added', output_index: 5, item: { type: 'later' } },
      ...RESPONSE,
      COMPLETED,
    ),
    TEXT,
  ],
  [
    'no start of a message',
    'openai',
    stream({ type: 'response.output_text.delta', delta: 'Hi', logprobs: 'x' }, COMPLETED),
    TEXT,
  ],
  [
    'null members',
    'openai',
    stream(...RESPONSE.map((event) => ({ ...event, error: null })), {
      ...COMPLETED,
      response: { ...aResponse([]), error: null, incomplete_details: null, service_tier: 5, reasoning: 'x' },
    }),
    TEXT,
  ],
  [
    'arguments as an object',
    'openai',
    stream(
      ...begunResponse([{ ...aFunctionCall('t', 7), call_id: 7, arguments: { order: 7 }, status: 'later' }]),
      COMPLETED,
    ),
    named('7'),
  ],
  [
    'a text without pieces',
    'openai',
    stream({ type: 'response.output_text.done', item_id: 'm', text: 'Hi' }, COMPLETED),
    TEXT,
  ],
  [
    'a text after its pieces',
    'openai',
    stream(...RESPONSE, { type: 'response.output_text.done', item_id: 'msg_1', text: 'Hi' }, COMPLETED),
    TEXT,
  ],
  [
    'items at the end only',
    'openai',
    stream({ type: 'response.completed', response: aResponse([aMessage('Hi'), aFunctionCall('t', 7)]) }),
    { text: 'Hi', ...named('t') },
  ],
  [
    'usage as text',
    'openai',
    json(aResponse([aMessage('Hi')], { usage: { input_tokens: '12', output_tokens: '3' } })),
    TEXT,
  ],
  [
    'unknown items and parts',
    'openai',
    json(
      aResponse(
        [
          { type: 'later' },
          { type: 'message', id: 5, content: [{ type: 'output_text', text: 'Hi' }, { type: 'later' }] },
        ],
        { id: 5, created_at: '1', error: null },
      ),
    ),
    TEXT,
  ],
  [
    'arguments as an object',
    'openai',
    json(aResponse([{ ...aFunctionCall('t', 7), call_id: 7, arguments: { order: 7 } }])),
    named('7'),
  ],
];

describe('an answer with an odd member is read', () => {
  test.each(ODD.map(([what, provider, given, reply]) => ({ what, provider, given, reply })))(
    'a model answer with an unusual field is read: $what ($provider)',
    async ({ provider, given, reply }) => {
      server.answers(given, given);
      const asked = await askModel(server, provider, { stream: true });
      expect(server.requests).toHaveLength(1);
      expect(asked).toMatchObject(reply);
    },
  );
});

const nameless = { id: 'k', arguments: '{}', input: {}, args: {} };

/** Answers that lack what is needed; the message names the member. */
const UNUSABLE: readonly (readonly [Provider, Answer, RegExp])[] = [
  [
    'openai-compatible',
    whole({ content: null, tool_calls: [{ ...nameless, function: { arguments: '{}' } }] }),
    /tool_calls has no \/function\/name$/,
  ],
  [
    'openai-compatible',
    oddStream(callOf([{ index: 0, id: 'k', function: { arguments: '{}' } }])),
    /a tool call has no name$/,
  ],
  ['openai-compatible', json({ id: 'c1' }), /it has no \/choices$/],
  [
    'anthropic',
    json(aClaudeMessage([{ type: 'tool_use', ...nameless }], 'tool_use')),
    /the call in \/content\/0 has no \/name$/,
  ],
  ['anthropic', json({ id: 'c1' }), /it has no \/content$/],
  ['google', json(aCandidate([{ functionCall: nameless }], 'STOP')), /a \/functionCall has no \/name$/],
  ['google', json({ id: 'c1' }), /it has no \/candidates$/],
  ['openai', json(aResponse([{ type: 'function_call', ...nameless }])), /the call in \/output\/0 has no \/name$/],
  ['openai', json({ id: 'c1' }), /it has no \/output$/],
  ['openai', stream(chunk({ content: 'Hi' })), /configure the model as openai-compatible$/],
  ...PROVIDERS.map((provider) => [provider, stream([7]), /an event of its stream is no object$/] as const),
];

describe('an answer that can’t be used', () => {
  test.each(UNUSABLE.map(([provider, given, message]) => ({ provider, given, message })))(
    'an answer that can’t be used fails with the name of the member; $provider: $message',
    async ({ provider, given, message }) => {
      server.answers(given);
      const failure = await failureOf(askModel(server, provider, { stream: true }));
      expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: false });
      expect(failure.message).toMatch(message);
    },
  );
});
