import { isJsonObject } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import { argumentsIn, countsIn, nameIn, numberIn, objectIn, objectsIn, present, textIn } from './members.ts';
import type { Member } from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { EventReader, WireFormat } from './wire-format.ts';

/** Messages of Anthropic. */
export const claudeMessages: WireFormat = {
  openStream,
  readWhole(answer) {
    const { content = null } = answer;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
    if (content === null) throw unusableAnswer('it has no /content');
    return present({
      type: 'message',
      content: blocks.flatMap((block, index) => toBlock(block, index)).filter(isSigned),
      stop_reason: nameIn(answer['stop_reason']),
      usage: { input_tokens: 0, output_tokens: 0, ...countsIn(answer['usage'], USAGE) },
    });
  },
};

const USAGE = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/** A thought without its signature can't be sent back. */
function isSigned({ type, signature }: JsonObject): boolean {
  return type !== 'thinking' || signature !== undefined;
}

/** Rewrites a block of content; blocks of types that the engine does not use are passed over. */
function toBlock(block: JsonObject, index: number): JsonObject[] {
  const type = textIn(block['type']) ?? '';
  return BLOCKS[type]?.(block, index) ?? [];
}

type BlockReader = (block: JsonObject, index: number) => JsonObject[];

const BLOCKS: Readonly<Record<string, BlockReader>> = {
  text: ({ text = '' }) => [{ type: 'text', text: textIn(text) ?? '' }],
  thinking: ({ thinking = '', signature }) => [
    present({ type: 'thinking', thinking: textIn(thinking) ?? '', signature: textIn(signature) }),
  ],
  redacted_thinking: ({ data = '' }) => [{ type: 'redacted_thinking', data: textIn(data) ?? '' }],
  tool_use(block, index) {
    const name = nameIn(block['name']);
    if (name === undefined) throw unusableAnswer(`the call in /content/${index} has no /name`);
    const id = nameIn(block['id']) ?? `call_${index}`;
    return [{ type: 'tool_use', id, name, input: inputIn(block['input']) }];
  },
};

/** Some servers send the arguments of a call as JSON text. */
function inputIn(member: Member): Json {
  if (typeof member !== 'string') return member ?? {};
  try {
    const parsed: Json = JSON.parse(member);
    return parsed;
  } catch {
    return member.trim() === '' ? {} : member;
  }
}

const DELTAS: Readonly<Record<string, (delta: JsonObject) => JsonObject>> = {
  text_delta: ({ text }) => ({ type: 'text_delta', text: textIn(text) ?? '' }),
  thinking_delta: ({ thinking }) => ({ type: 'thinking_delta', thinking: textIn(thinking) ?? '' }),
  signature_delta: ({ signature }) => ({ type: 'signature_delta', signature: textIn(signature) ?? '' }),
  input_json_delta: ({ partial_json }) => ({
    type: 'input_json_delta',
    partial_json: argumentsIn(partial_json) ?? '',
  }),
};

/** The blocks that begin with a delta of their own, because some servers leave out their start. */
const STARTS: Readonly<Record<string, JsonObject>> = {
  text_delta: { type: 'text', text: '' },
  thinking_delta: { type: 'thinking', thinking: '' },
};

function openStream(): EventReader {
  /** Indexes of blocks by their use: those of unknown types are passed over up to their end. */
  const blocks = new Map<number, 'used' | 'unknown'>();
  let usage: JsonObject = { output_tokens: 0 };
  let reason: string | undefined;
  let hasStarted = false;
  let last = 0;
  const indexOf = (event: JsonObject): number => (last = numberIn(event['index']) ?? last);
  const end = (): JsonObject[] => [{ type: 'message_delta', delta: present({ stop_reason: reason }), usage }];
  const complete = (): JsonObject[] => {
    if (reason !== undefined || !hasStarted) return [];
    reason = ENDED_WITHOUT_REASON;
    return end();
  };
  const events: Readonly<Record<string, (event: JsonObject) => readonly JsonObject[]>> = {
    message_start(event) {
      if (hasStarted) return [];
      hasStarted = true;
      const message = objectIn(event['message']);
      reason = nameIn(message['stop_reason']);
      const counts = { input_tokens: 0, ...countsIn(message['usage'], USAGE) };
      return [{ type: 'message_start', message: present({ usage: counts, stop_reason: reason }) }];
    },
    content_block_start(event) {
      const index = indexOf(event);
      const given = objectIn(event['content_block']);
      const [block] = toBlock(given, index);
      blocks.set(index, block ? 'used' : 'unknown');
      if (!block) return [];
      const { input, ...rest } = block;
      // The adapter reads the input of a start only as an object.
      const start = input === undefined ? rest : { ...rest, ...(isJsonObject(input) && { input }) };
      return [{ type: 'content_block_start', index, content_block: start }];
    },
    content_block_delta(event) {
      const index = indexOf(event);
      const given = objectIn(event['delta']);
      const type = textIn(given['type']) ?? '';
      const delta = DELTAS[type]?.(given);
      if (!delta || blocks.get(index) === 'unknown') return [];
      const made = { type: 'content_block_delta', index, delta };
      const start = blocks.has(index) ? undefined : STARTS[type];
      blocks.set(index, 'used');
      return start ? [{ type: 'content_block_start', index, content_block: start }, made] : [made];
    },
    content_block_stop(event) {
      const index = indexOf(event);
      return blocks.get(index) === 'used' ? [{ type: 'content_block_stop', index }] : [];
    },
    message_delta(event) {
      reason = nameIn(objectIn(event['delta'])['stop_reason']) ?? reason;
      usage = { ...usage, ...countsIn(event['usage'], USAGE) };
      return end();
    },
    message_stop: () => [...complete(), { type: 'message_stop' }],
  };
  return {
    read: (event, name) => events[textIn(event['type']) ?? name]?.(event) ?? [],
    complete,
  };
}
