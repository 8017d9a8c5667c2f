import { isJsonObject } from '../../../src/graph/values/json.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { dataEvents, namedEvents } from '../doubles/asked-model.ts';
import type { Provider } from '../doubles/asked-model.ts';
import { json } from '../doubles/loopback-server.ts';
import type { Answer } from '../doubles/loopback-server.ts';
import { at } from '../readers/json-at.ts';

/* Answers of the four providers in their own formats. Each costs 12 tokens in and 3 out. */

interface Replies {
  readonly text: Answer;
  /** The text "I look.", then calls of `lookup` with orders 7 and 8. */
  readonly calls: Answer;
  /** "Hi", truncated by the length limit. */
  readonly truncated: Answer;
  /** An empty answer, truncated by the length limit: the model has used all tokens for thinking. */
  readonly unsaid: Answer;
  readonly filtered: Answer;
}

const CLAUDE_THOUGHT = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' };
const GEMINI_THOUGHT = { text: 'Hm', thought: true };

export const REPLIES: Readonly<Record<Provider, Replies>> = {
  openai: {
    text: json(aResponse([aMessage('Hi')])),
    calls: json(aResponse([aMessage('I look.'), aFunctionCall('t1', 7), aFunctionCall('t2', 8)])),
    truncated: json(aResponse([aMessage('Hi')], incomplete('max_output_tokens'))),
    unsaid: json(aResponse([], incomplete('max_output_tokens'))),
    filtered: json(aResponse([], incomplete('content_filter'))),
  },
  anthropic: {
    text: json(aClaudeMessage([{ type: 'text', text: 'Hi' }], 'end_turn')),
    calls: json(aClaudeMessage([{ type: 'text', text: 'I look.' }, aToolUse('t1', 7), aToolUse('t2', 8)], 'tool_use')),
    truncated: json(aClaudeMessage([{ type: 'text', text: 'Hi' }], 'max_tokens')),
    unsaid: json(aClaudeMessage([CLAUDE_THOUGHT], 'max_tokens')),
    filtered: json({ type: 'error', error: { type: 'invalid_request_error', message: 'Not reached' } }, 400),
  },
  google: {
    text: json(aCandidate([{ text: 'Hi' }], 'STOP')),
    calls: json(aCandidate([{ text: 'I look.' }, aGoogleCall('t1', 7), aGoogleCall('t2', 8)], 'STOP')),
    truncated: json(aCandidate([{ text: 'Hi' }], 'MAX_TOKENS')),
    unsaid: json(aCandidate([GEMINI_THOUGHT], 'MAX_TOKENS')),
    filtered: json(aCandidate([], 'SAFETY')),
  },
  'openai-compatible': {
    text: json(aCompletion({ content: 'Hi' }, 'stop')),
    calls: json(
      aCompletion({ content: 'I look.', tool_calls: [aToolCall('t1', 7), aToolCall('t2', 8)] }, 'tool_calls'),
    ),
    truncated: json(aCompletion({ content: 'Hi' }, 'length')),
    unsaid: json(aCompletion({ content: '', reasoning_content: 'Hm' }, 'length')),
    filtered: json(aCompletion({ content: '' }, 'content_filter')),
  },
};

export const STREAMS: Readonly<Record<Provider, Replies>> = {
  openai: {
    text: responseEvents([aMessage('Hi')]),
    calls: responseEvents([aMessage('I look.'), aFunctionCall('t1', 7), aFunctionCall('t2', 8)]),
    truncated: responseEvents([aMessage('Hi')], incomplete('max_output_tokens')),
    unsaid: responseEvents([], incomplete('max_output_tokens')),
    filtered: responseEvents([], incomplete('content_filter')),
  },
  anthropic: {
    text: namedEvents(...claudeEvents([{ type: 'text', text: 'Hi' }], 'end_turn')),
    calls: namedEvents(
      ...claudeEvents([{ type: 'text', text: 'I look.' }, aToolUse('t1', 7), aToolUse('t2', 8)], 'tool_use'),
    ),
    truncated: namedEvents(...claudeEvents([{ type: 'text', text: 'Hi' }], 'max_tokens')),
    unsaid: namedEvents(...claudeEvents([CLAUDE_THOUGHT], 'max_tokens')),
    filtered: json({ type: 'error', error: { type: 'invalid_request_error', message: 'Not reached' } }, 400),
  },
  google: {
    text: dataEvents(aCandidate([{ text: 'H' }], null), aCandidate([{ text: 'i' }], 'STOP')),
    calls: dataEvents(
      aCandidate([{ text: 'I look.' }], null),
      aCandidate([aGoogleCall('t1', 7), aGoogleCall('t2', 8)], 'STOP'),
    ),
    truncated: dataEvents(aCandidate([{ text: 'Hi' }], 'MAX_TOKENS')),
    unsaid: dataEvents(aCandidate([GEMINI_THOUGHT], 'MAX_TOKENS')),
    filtered: dataEvents(aCandidate([], 'SAFETY')),
  },
  'openai-compatible': {
    text: completionEvents([{ content: 'H' }, { content: 'i' }], 'stop'),
    calls: completionEvents(
      [
        { content: 'I look.' },
        { tool_calls: [{ index: 0, ...aToolCall('t1', 7) }] },
        { tool_calls: [{ index: 1, id: 't2', type: 'function', function: { name: 'lookup', arguments: '{"ord' } }] },
        { tool_calls: [{ index: 1, function: { arguments: 'er":8}' } }] },
      ],
      'tool_calls',
    ),
    truncated: completionEvents([{ content: 'Hi' }], 'length'),
    unsaid: completionEvents([{ reasoning_content: 'Hm' }], 'length'),
    filtered: completionEvents([{ content: '' }], 'content_filter'),
  },
};

function incomplete(reason: string): JsonObject {
  return { status: 'incomplete', incomplete_details: { reason } };
}

export function aResponse(output: readonly Json[], over: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 12, output_tokens: 3, total_tokens: 15 };
  return { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output, usage, ...over };
}

export function aMessage(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content };
}

export function aFunctionCall(id: string, order: number): JsonObject {
  const given = JSON.stringify({ order });
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name: 'lookup', arguments: given, status: 'completed' };
}

/** Builds the stream of a response, item by item. */
export function responseEvents(output: readonly JsonObject[], over: JsonObject = {}): Answer {
  const end = over['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed';
  return namedEvents(...begunResponse(output), { type: end, response: aResponse(output, over) });
}

/** Builds the events of a response up to its end. */
export function begunResponse(output: readonly JsonObject[]): { type: string; [key: string]: Json }[] {
  const items = output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [], arguments: '' } },
    ...deltasOf(item, output_index),
    { type: 'response.output_item.done', output_index, item },
  ]);
  return [{ type: 'response.created', response: aResponse([], { status: 'in_progress' }) }, ...items];
}

function deltasOf(item: JsonObject, output_index: number): { type: string; [key: string]: Json }[] {
  const part = at(item, '/content/0');
  if (!isJsonObject(part)) return [];
  const where = { item_id: item['id'] ?? '', output_index, content_index: 0 };
  if (part['type'] === 'output_text')
    return [{ type: 'response.output_text.delta', ...where, delta: part['text'] ?? '' }];
  if (part['type'] === 'refusal') return [{ type: 'response.refusal.delta', ...where, delta: part['refusal'] ?? '' }];
  return [];
}

export function aClaudeMessage(content: readonly Json[], stop_reason: string | null): JsonObject {
  const usage = { input_tokens: 12, output_tokens: 3 };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}

export function aToolUse(id: string, order: number): JsonObject {
  return { type: 'tool_use', id, name: 'lookup', input: { order } };
}

/** Builds the stream of a message of Claude, block by block. */
export function claudeEvents(
  content: readonly JsonObject[],
  stop_reason: string | null,
): { type: string; [key: string]: Json }[] {
  const start = {
    ...aClaudeMessage([], stop_reason),
    stop_reason: null,
    usage: { input_tokens: 12, output_tokens: 1 },
  };
  return [
    { type: 'message_start', message: start },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...claudeDeltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ];
}

function emptied(block: JsonObject): JsonObject {
  if (block['type'] === 'text') return { ...block, text: '' };
  if (block['type'] === 'thinking') return { ...block, thinking: '', signature: '' };
  return block['type'] === 'tool_use' ? { ...block, input: {} } : block;
}

function claudeDeltas({ type, text, input, thinking, signature }: JsonObject): JsonObject[] {
  if (type === 'text') return [{ type: 'text_delta', text: text ?? '' }];
  if (type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }];
  if (type !== 'thinking') return [];
  return [
    { type: 'thinking_delta', thinking: thinking ?? '' },
    { type: 'signature_delta', signature: signature ?? '' },
  ];
}

export function aCandidate(parts: readonly Json[], finishReason: string | null): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason !== null && { finishReason }) }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15 },
  };
}

export function aGoogleCall(id: string, order: number, thoughtSignature?: string): JsonObject {
  return { functionCall: { id, name: 'lookup', args: { order } }, ...(thoughtSignature && { thoughtSignature }) };
}

/** An answer of a compatible model. */
export function aCompletion(message: JsonObject, finish_reason: string | null): JsonObject {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
  const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
  return { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage };
}

export function aToolCall(id: string, order: number): JsonObject {
  return { id, type: 'function', function: { name: 'lookup', arguments: JSON.stringify({ order }) } };
}

/** Builds the stream of a completion, with the usage in its own chunk. */
export function completionEvents(deltas: readonly JsonObject[], finish_reason: string): Answer {
  const chunk = (choices: Json, over: JsonObject = {}): JsonObject => ({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices,
    ...over,
  });
  return dataEvents(
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    chunk([], { usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } }),
    '[DONE]',
  );
}
