import type { JsonObject } from '../../../graph/values/index.ts';
import { argumentsIn, countsIn, nameIn, numberIn, objectIn, objectsIn, present, spokenIn, textIn } from './members.ts';
import type { Member } from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { EventReader, WireFormat } from './wire-format.ts';

/** OpenAI's responses. */
export const openaiResponses: WireFormat = {
  openStream,
  readWhole(answer) {
    refuseCompletions(answer);
    if (answer['output'] === undefined) throw unusableAnswer('it has no /output');
    return present({
      output: objectsIn(answer['output']).flatMap((item, index) => toWholeItem(item, index)),
      ...endOf(answer),
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
function endOf(response: JsonObject): JsonObject {
  const status = textIn(response['status']) ?? '';
  const stated = nameIn(objectIn(response['incomplete_details'])['reason']);
  const reason = stated ?? (UNFINISHED.has(status) ? status : undefined);
  const counts = countsIn(response['usage'], ['input_tokens', 'output_tokens']);
  const details = objectIn(response['usage']);
  return present({
    incomplete_details: reason === undefined ? undefined : { reason },
    usage:
      counts &&
      present({
        input_tokens: 0,
        output_tokens: 0,
        ...counts,
        input_tokens_details: countsIn(details['input_tokens_details'], ['cached_tokens']),
        output_tokens_details: countsIn(details['output_tokens_details'], ['reasoning_tokens']),
      }),
  });
}

/** Names an item that has no id. */
function idOf({ id }: JsonObject, index: number): string {
  return nameIn(id) ?? `item_${index}`;
}

const PHASES: ReadonlySet<Member> = new Set(['commentary', 'final_answer']);
const CALL_STATUS: ReadonlySet<Member> = new Set(['in_progress', 'completed', 'incomplete']);

type ItemReader = (item: JsonObject, index: number) => JsonObject;

/** The members that an item has in a stream and in a complete response; items of other types are not used. */
const ITEMS: Readonly<Record<string, ItemReader>> = {
  message: (item, index) =>
    present({
      type: 'message',
      id: idOf(item, index),
      role: 'assistant',
      phase: PHASES.has(item['phase']) ? item['phase'] : undefined,
    }),
  reasoning: (item, index) =>
    present({ type: 'reasoning', id: idOf(item, index), encrypted_content: textIn(item['encrypted_content']) }),
  function_call(item, index) {
    const name = nameIn(item['name']);
    if (name === undefined) throw unusableAnswer(`the call in /output/${index} has no /name`);
    return {
      type: 'function_call',
      id: idOf(item, index),
      call_id: nameIn(item['call_id']) ?? idOf(item, index),
      name,
      arguments: argumentsIn(item['arguments']) ?? '',
      status: CALL_STATUS.has(item['status']) ? (item['status'] ?? 'completed') : 'completed',
    };
  },
};

function toItem(item: JsonObject, index: number): JsonObject | undefined {
  return ITEMS[textIn(item['type']) ?? '']?.(item, index);
}

function toWholeItem(item: JsonObject, index: number): JsonObject[] {
  const read = toItem(item, index);
  if (!read) return [];
  if (read['type'] === 'message') return [{ ...read, content: contentIn(item['content']) }];
  return [read['type'] === 'reasoning' ? { ...read, summary: summaryIn(item['summary']) } : read];
}

function contentIn(content: Member): JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: 'output_text', text: content }] : objectsIn(content);
  return parts.flatMap((part: JsonObject): JsonObject[] => {
    const refusal = textIn(part['refusal']);
    if (refusal !== undefined) return [{ type: 'refusal', refusal }];
    const text = textIn(part['text']);
    return text === undefined ? [] : [{ type: 'output_text', text, annotations: [] }];
  });
}

function summaryIn(summary: Member): JsonObject[] {
  return objectsIn(summary).map((part) => ({ type: 'summary_text', text: spokenIn(part) }));
}

function openStream(): EventReader {
  const messages = new Set<string>();
  let hasEnded = false;
  let hasStarted = false;
  let last = 0;
  const indexOf = (event: JsonObject): number => (last = numberIn(event['output_index']) ?? last);
  const toItemEvent = (type: string, event: JsonObject): JsonObject[] => {
    const index = indexOf(event);
    const item = toItem(objectIn(event['item']), index);
    if (item?.['type'] === 'message') messages.add(textIn(item['id']) ?? '');
    return item ? [{ type, output_index: index, item }] : [];
  };
  /** Some servers leave out the start of a message. */
  const inMessage = (event: JsonObject, members: JsonObject): JsonObject[] => {
    const index = indexOf(event);
    const id = nameIn(event['item_id']) ?? [...messages].at(-1) ?? `item_${index}`;
    const start = { type: 'message', id, role: 'assistant' };
    const isOpen = messages.has(id);
    messages.add(id);
    const made = { item_id: id, output_index: index, ...members };
    return isOpen ? [made] : [{ type: 'response.output_item.added', output_index: index, item: start }, made];
  };
  const inSummary = (event: JsonObject, members: JsonObject): JsonObject[] => [
    {
      item_id: idOf({ id: event['item_id'] ?? null }, indexOf(event)),
      summary_index: numberIn(event['summary_index']) ?? 0,
      ...members,
    },
  ];
  const end = (type: string, event: JsonObject): JsonObject[] => {
    hasEnded = true;
    const status = type.slice('response.'.length);
    const response = endOf({ ...objectIn(event['response']), status });
    return [{ type: response['incomplete_details'] ? 'response.incomplete' : 'response.completed', response }];
  };
  const events: Readonly<Record<string, (type: string, event: JsonObject) => readonly JsonObject[]>> = {
    'response.output_item.added': toItemEvent,
    'response.output_item.done': toItemEvent,
    'response.output_text.delta': (type, event) => inMessage(event, { type, delta: spokenIn(event['delta']) }),
    'response.refusal.delta': (type, event) => inMessage(event, { type, delta: spokenIn(event['delta']) }),
    'response.refusal.done': (type, event) => inMessage(event, { type, refusal: spokenIn(event['refusal']) }),
    'response.reasoning_summary_part.added': (type, event) => inSummary(event, { type }),
    'response.reasoning_summary_text.delta': (type, event) =>
      inSummary(event, { type, delta: spokenIn(event['delta']) }),
    'response.reasoning_summary_part.done': (type, event) => inSummary(event, { type }),
    'response.completed': end,
    'response.incomplete': end,
    'response.failed': end,
    'response.cancelled': end,
  };
  return {
    read(event, name) {
      refuseCompletions(event);
      hasStarted = true;
      const type = textIn(event['type']) ?? name;
      return events[type]?.(type, event) ?? [];
    },
    complete: () =>
      hasEnded || !hasStarted
        ? []
        : [{ type: 'response.incomplete', response: { incomplete_details: { reason: ENDED_WITHOUT_REASON } } }],
  };
}
