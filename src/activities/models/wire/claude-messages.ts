import { isJsonObject, own } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import {
  argumentsText,
  usageCounts,
  nonBlankMember,
  numberMember,
  objectMember,
  objectMembers,
  parseArguments,
  presentMembers,
  textMember,
} from './members.ts';
import type { JsonMember } from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { EventReader, WireFormat } from './wire-format.ts';

/** Messages of Anthropic. */
export const claudeMessages: WireFormat = {
  openStream: openClaudeStream,
  readWhole(answer) {
    const { content = null } = answer;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectMembers(content);
    if (content === null) throw unusableAnswer('it has no /content');
    return presentMembers({
      type: 'message',
      content: blocks.flatMap((block, index) => toContentBlocks(block, index)).filter(isSignedThought),
      stop_reason: nonBlankMember(answer['stop_reason']),
      usage: { input_tokens: 0, output_tokens: 0, ...usageCounts(answer['usage'], USAGE_FIELDS) },
    });
  },
};

const USAGE_FIELDS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/** A thought without its signature can't be sent back. */
function isSignedThought({ type, signature }: JsonObject): boolean {
  return type !== 'thinking' || signature !== undefined;
}

/** Rewrites a block of content; blocks of types that the engine does not use are passed over. */
function toContentBlocks(block: JsonObject, index: number): JsonObject[] {
  const type = textMember(block['type']) ?? '';
  return own(BLOCKS, type)?.(block, index) ?? [];
}

type BlockReader = (block: JsonObject, index: number) => JsonObject[];

const BLOCKS: Readonly<Record<string, BlockReader>> = {
  text: ({ text = '' }) => [{ type: 'text', text: textMember(text) ?? '' }],
  thinking: ({ thinking = '', signature }) => [
    presentMembers({ type: 'thinking', thinking: textMember(thinking) ?? '', signature: textMember(signature) }),
  ],
  redacted_thinking: ({ data = '' }) => [{ type: 'redacted_thinking', data: textMember(data) ?? '' }],
  tool_use(block, index) {
    const name = nonBlankMember(block['name']);
    if (name === undefined) throw unusableAnswer(`the call in /content/${index} has no /name`);
    const id = nonBlankMember(block['id']) ?? `call_${index}`;
    return [{ type: 'tool_use', id, name, input: callArguments(block['input']) }];
  },
};

/** Some servers send the arguments of a call as JSON text. */
function callArguments(member: JsonMember): Json {
  return typeof member === 'string' ? parseArguments(member) : (member ?? {});
}

const DELTAS: Readonly<Record<string, (delta: JsonObject) => JsonObject>> = {
  text_delta: ({ text }) => ({ type: 'text_delta', text: textMember(text) ?? '' }),
  thinking_delta: ({ thinking }) => ({ type: 'thinking_delta', thinking: textMember(thinking) ?? '' }),
  signature_delta: ({ signature }) => ({ type: 'signature_delta', signature: textMember(signature) ?? '' }),
  input_json_delta: ({ partial_json }) => ({
    type: 'input_json_delta',
    partial_json: argumentsText(partial_json) ?? '',
  }),
};

/** The blocks that begin with a delta of their own, because some servers leave out their start. */
const STARTS: Readonly<Record<string, JsonObject>> = {
  text_delta: { type: 'text', text: '' },
  thinking_delta: { type: 'thinking', thinking: '' },
};

/** What has been read of a stream. */
interface ClaudeStream {
  /** Uses of blocks by index: blocks of unknown types are passed over up to their end. */
  readonly blocks: Map<number, 'used' | 'unknown'>;
  usage: JsonObject;
  reason: string | undefined;
  hasStarted: boolean;
  /** The index of the last event, for events without one. */
  index: number;
}

function openClaudeStream(): EventReader {
  const stream: ClaudeStream = {
    blocks: new Map(),
    usage: { output_tokens: 0 },
    reason: undefined,
    hasStarted: false,
    index: 0,
  };
  return {
    read: (event, name) => own(EVENT_READERS, textMember(event['type']) ?? name)?.(stream, event) ?? [],
    complete: () => completeMessage(stream),
  };
}

function endOfMessage({ reason, usage }: ClaudeStream): JsonObject {
  return { type: 'message_delta', delta: presentMembers({ stop_reason: reason }), usage };
}

function completeMessage(stream: ClaudeStream): JsonObject[] {
  if (stream.reason !== undefined || !stream.hasStarted) return [];
  stream.reason = ENDED_WITHOUT_REASON;
  return [endOfMessage(stream)];
}

function blockIndex(stream: ClaudeStream, event: JsonObject): number {
  stream.index = numberMember(event['index']) ?? stream.index;
  return stream.index;
}

const EVENT_READERS: Readonly<Record<string, (stream: ClaudeStream, event: JsonObject) => readonly JsonObject[]>> = {
  message_start(stream, event) {
    if (stream.hasStarted) return [];
    const message = objectMember(event['message']);
    stream.hasStarted = true;
    stream.reason = nonBlankMember(message['stop_reason']);
    const usage = { input_tokens: 0, ...usageCounts(message['usage'], USAGE_FIELDS) };
    return [{ type: 'message_start', message: presentMembers({ usage, stop_reason: stream.reason }) }];
  },
  content_block_start(stream, event) {
    const index = blockIndex(stream, event);
    const [block] = toContentBlocks(objectMember(event['content_block']), index);
    stream.blocks.set(index, block ? 'used' : 'unknown');
    if (!block) return [];
    const { input, ...rest } = block;
    // The adapter reads the input of a start only as an object, and no text of it.
    const content_block = isJsonObject(input) ? block : rest;
    const text = textMember(block['text']) ?? '';
    const delta = { type: 'text_delta', text };
    const texts = text === '' ? [] : [{ type: 'content_block_delta', index, delta }];
    return [{ type: 'content_block_start', index, content_block }, ...texts];
  },
  content_block_delta(stream, event) {
    const index = blockIndex(stream, event);
    const given = objectMember(event['delta']);
    const type = textMember(given['type']) ?? '';
    const delta = own(DELTAS, type)?.(given);
    if (!delta || stream.blocks.get(index) === 'unknown') return [];
    const start = stream.blocks.has(index) ? undefined : own(STARTS, type);
    stream.blocks.set(index, 'used');
    const started = start ? [{ type: 'content_block_start', index, content_block: start }] : [];
    return [...started, { type: 'content_block_delta', index, delta }];
  },
  content_block_stop(stream, event) {
    const index = blockIndex(stream, event);
    return stream.blocks.get(index) === 'used' ? [{ type: 'content_block_stop', index }] : [];
  },
  message_delta(stream, event) {
    stream.reason = nonBlankMember(objectMember(event['delta'])['stop_reason']) ?? stream.reason;
    stream.usage = { ...stream.usage, ...usageCounts(event['usage'], USAGE_FIELDS) };
    return [endOfMessage(stream)];
  },
  message_stop: (stream) => [...completeMessage(stream), { type: 'message_stop' }],
};
