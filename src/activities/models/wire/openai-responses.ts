import { own } from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import {
  argumentsText,
  usageCounts,
  nonBlankMember,
  numberMember,
  objectMember,
  objectMembers,
  presentMembers,
  joinedTextIn,
  textMember,
} from './members.ts';
import type { JsonMember } from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { EventReader, WireFormat } from './wire-format.ts';

/** OpenAI's responses. */
export const openaiResponses: WireFormat = {
  openStream: openResponsesStream,
  readWhole(answer) {
    refuseCompletions(answer);
    if (answer['output'] === undefined) throw unusableAnswer('it has no /output');
    return presentMembers({
      output: objectMembers(answer['output']).flatMap((item, index) => toWholeItem(item, index)),
      ...responseEnd(answer),
    });
  },
};

function refuseCompletions(answer: JsonObject): void {
  if (answer['choices'] === undefined || answer['type'] !== undefined) return;
  throw unusableAnswer('it is a chat completion, not a response; configure the model as openai-compatible');
}

/** The statuses of a response that did not end well, which may state no reason. */
const UNFINISHED: ReadonlySet<string> = new Set(['incomplete', 'in_progress', 'queued', 'failed', 'cancelled']);

/** The end of a response: why it is incomplete, and its usage. */
function responseEnd(response: JsonObject): JsonObject {
  const status = textMember(response['status']) ?? '';
  const stated = nonBlankMember(objectMember(response['incomplete_details'])['reason']);
  const reason = stated ?? (UNFINISHED.has(status) ? status : undefined);
  const counts = usageCounts(response['usage'], ['input_tokens', 'output_tokens']);
  const details = objectMember(response['usage']);
  return presentMembers({
    incomplete_details: reason === undefined ? undefined : { reason },
    usage:
      counts &&
      presentMembers({
        input_tokens: 0,
        output_tokens: 0,
        ...counts,
        input_tokens_details: usageCounts(details['input_tokens_details'], ['cached_tokens']),
        output_tokens_details: usageCounts(details['output_tokens_details'], ['reasoning_tokens']),
      }),
  });
}

/** Names an item that has no id. */
function outputItemId({ id }: JsonObject, index: number): string {
  return nonBlankMember(id) ?? `item_${index}`;
}

const PHASES: ReadonlySet<JsonMember> = new Set(['commentary', 'final_answer']);
const CALL_STATUS: ReadonlySet<JsonMember> = new Set(['in_progress', 'completed', 'incomplete']);

type ItemReader = (item: JsonObject, index: number) => JsonObject;

/** The members that an item has in a stream and in a complete response; items of other types are not used. */
const ITEMS: Readonly<Record<string, ItemReader>> = {
  message: (item, index) =>
    presentMembers({
      type: 'message',
      id: outputItemId(item, index),
      role: 'assistant',
      phase: PHASES.has(item['phase']) ? item['phase'] : undefined,
    }),
  reasoning: (item, index) =>
    presentMembers({
      type: 'reasoning',
      id: outputItemId(item, index),
      encrypted_content: textMember(item['encrypted_content']),
    }),
  function_call(item, index) {
    const name = nonBlankMember(item['name']);
    if (name === undefined) throw unusableAnswer(`the call in /output/${index} has no /name`);
    return {
      type: 'function_call',
      id: outputItemId(item, index),
      call_id: nonBlankMember(item['call_id']) ?? outputItemId(item, index),
      name,
      arguments: argumentsText(item['arguments']) ?? '',
      status: CALL_STATUS.has(item['status']) ? (item['status'] ?? 'completed') : 'completed',
    };
  },
};

function toOutputItem(item: JsonObject, index: number): JsonObject | undefined {
  return own(ITEMS, textMember(item['type']) ?? '')?.(item, index);
}

function toWholeItem(item: JsonObject, index: number): JsonObject[] {
  const read = toOutputItem(item, index);
  if (!read) return [];
  if (read['type'] === 'message') return [{ ...read, content: outputContent(item['content']) }];
  return [read['type'] === 'reasoning' ? { ...read, summary: reasoningSummary(item['summary']) } : read];
}

function outputContent(content: JsonMember): JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: 'output_text', text: content }] : objectMembers(content);
  return parts.flatMap((part: JsonObject): JsonObject[] => {
    const refusal = textMember(part['refusal']);
    if (refusal !== undefined) return [{ type: 'refusal', refusal }];
    const text = textMember(part['text']);
    return text === undefined ? [] : [{ type: 'output_text', text, annotations: [] }];
  });
}

function reasoningSummary(summary: JsonMember): JsonObject[] {
  return objectMembers(summary).map((part) => ({ type: 'summary_text', text: joinedTextIn(part) }));
}

/** What has been read of a stream. */
interface ResponseStream {
  /** Ids of the messages that have started. */
  readonly messages: Set<string>;
  /** The id of the message that started last, for events without one. */
  message: string | undefined;
  /** The messages of which a piece of text has come. */
  readonly begun: Set<string>;
  hasStarted: boolean;
  hasItems: boolean;
  hasEnded: boolean;
  /** The index of the last item, for events without one. */
  index: number;
}

function openResponsesStream(): EventReader {
  const stream: ResponseStream = {
    messages: new Set(),
    message: undefined,
    begun: new Set(),
    hasStarted: false,
    hasItems: false,
    hasEnded: false,
    index: 0,
  };
  return {
    read(event, name) {
      refuseCompletions(event);
      stream.hasStarted = true;
      stream.index = numberMember(event['output_index']) ?? stream.index;
      const type = textMember(event['type']) ?? name;
      return own(EVENT_READERS, type)?.(stream, event, type) ?? [];
    },
    complete: () =>
      stream.hasEnded || !stream.hasStarted
        ? []
        : [{ type: 'response.incomplete', response: { incomplete_details: { reason: ENDED_WITHOUT_REASON } } }],
  };
}

function startMessage(stream: ResponseStream, id: string): void {
  stream.messages.add(id);
  stream.message = id;
}

type ResponseEventReader = (stream: ResponseStream, event: JsonObject, type: string) => readonly JsonObject[];

const readItem: ResponseEventReader = (stream, event, type) => {
  const item = toOutputItem(objectMember(event['item']), stream.index);
  stream.hasItems = true;
  if (item?.['type'] === 'message') startMessage(stream, textMember(item['id']) ?? '');
  return item ? [{ type, output_index: stream.index, item }] : [];
};

/** Reads a piece of a message; some servers leave out the start of the message. */
const readPiece =
  (member: string): ResponseEventReader =>
  (stream, event, type) => {
    const { messages, index } = stream;
    const id = nonBlankMember(event['item_id']) ?? stream.message ?? `item_${index}`;
    stream.hasItems = true;
    stream.begun.add(id);
    const piece = { type, item_id: id, output_index: index, [member]: joinedTextIn(event[member]) };
    if (messages.has(id)) return [piece];
    startMessage(stream, id);
    const item = { type: 'message', id, role: 'assistant' };
    return [{ type: 'response.output_item.added', output_index: index, item }, piece];
  };

/** Reads a complete text, if none of its pieces has come. */
const readCompleteText: ResponseEventReader = (stream, event) => {
  const id = nonBlankMember(event['item_id']) ?? stream.message ?? '';
  if (stream.begun.has(id)) return [];
  return readPiece('delta')(stream, { ...event, delta: event['text'] ?? '' }, 'response.output_text.delta');
};

/** Reads the items of a complete response as a stream would have them. */
function readOutputItems(stream: ResponseStream, output: JsonMember): readonly JsonObject[] {
  return objectMembers(output).flatMap((item, index) => {
    stream.index = index;
    const [added = {}, ...rest] = readItem(stream, { item }, 'response.output_item.added');
    const id = objectMember(added['item'])['id'] ?? '';
    const pieces = outputContent(item['content']).flatMap((part) => {
      const [name, text] = part['type'] === 'refusal' ? ['refusal', part['refusal']] : ['output_text', part['text']];
      return readPiece('delta')(stream, { item_id: id, delta: text ?? '' }, `response.${name}.delta`);
    });
    const done = readItem(stream, { item }, 'response.output_item.done');
    return Object.keys(added).length === 0 ? [] : [added, ...rest, ...pieces, ...done];
  });
}

const readSummary: ResponseEventReader = ({ index }, event, type) => [
  {
    type,
    item_id: outputItemId({ id: event['item_id'] ?? null }, index),
    summary_index: numberMember(event['summary_index']) ?? 0,
    delta: joinedTextIn(event['delta']),
  },
];

const readEnd: ResponseEventReader = (stream, event, type) => {
  stream.hasEnded = true;
  const items = stream.hasItems ? [] : readOutputItems(stream, objectMember(event['response'])['output']);
  const response = responseEnd({ ...objectMember(event['response']), status: type.slice('response.'.length) });
  const ended = response['incomplete_details'] ? 'response.incomplete' : 'response.completed';
  return [...items, { type: ended, response }];
};

const EVENT_READERS: Readonly<Record<string, ResponseEventReader>> = {
  'response.output_item.added': readItem,
  'response.output_item.done': readItem,
  'response.output_text.delta': readPiece('delta'),
  'response.output_text.done': readCompleteText,
  'response.refusal.delta': readPiece('delta'),
  'response.refusal.done': readPiece('refusal'),
  'response.reasoning_summary_part.added': readSummary,
  'response.reasoning_summary_text.delta': readSummary,
  'response.reasoning_summary_part.done': readSummary,
  'response.completed': readEnd,
  'response.incomplete': readEnd,
  'response.failed': readEnd,
  'response.cancelled': readEnd,
};
