import { TransformStream } from 'node:stream/web';
import { createParser } from 'eventsource-parser';
import { isJsonList, isJsonObject, parseOutsideJson } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import { NetworkError } from '../../../network/network-error.ts';
import { errorWithin, ReportedError, toProviderError } from './reported-error.ts';
import { incompleteAnswer, unusableAnswer } from './wire-format.ts';
import type { WireFormat } from './wire-format.ts';

/**
 * Rewrites a complete answer for the adapter.
 * @param text the body of the response
 * @throws ReportedError, and CallError for an answer that can't be used
 */
export function rewriteWholeAnswer(text: string, format: WireFormat): string {
  if (text.trim() === '') throw incompleteAnswer('it is empty');
  const parsed = parseAnswerText(text);
  // Google answers with a list in some cases.
  const answer = isJsonList(parsed) ? (parsed[0] ?? null) : parsed;
  if (!isJsonObject(answer)) throw unusableAnswer('it is no object');
  const error = errorWithin(answer);
  if (error) throw new ReportedError(error);
  return JSON.stringify(format.readWhole(answer));
}

/** Integers that a double does not keep become texts: they may be arguments that a model writes. */
const isAnyText = (): true => true;

/** Cut JSON, and a page of a proxy. */
const BEGUN = /^\s*[[{<]/;

/** An error quotes the whole text, because a secret that is cut in two would not be found and replaced. */
function parseAnswerText(text: string): Json {
  try {
    return parseOutsideJson(text, isAnyText);
  } catch {
    const why = `it is no JSON: ${text}`;
    throw BEGUN.test(text) ? incompleteAnswer(why) : unusableAnswer(why);
  }
}

/** An answer has a few thousand events; a server that sends more does not end. */
const MAX_ANSWER_EVENTS = 1_000_000;

const END_OF_STREAM = '[DONE]';
/** Texts by which some servers keep a connection alive. */
const KEEP_ALIVE = /^(ping|keep-?alive|heartbeat)?$/i;

/**
 * Rewrites the events of a stream for the adapter. The stream fails with a ReportedError for an error within it, with
 * a CallError for an event that can't be used, and with a NetworkError `too large` for too many events.
 */
export function rewriteEventStream(format: WireFormat): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const reader = format.openStream();
  const toLines = createLineEnds();
  let written: string[] = [];
  let count = 0;
  let isDone = false;
  const write = (events: readonly JsonObject[]): void => {
    written.push(...events.map((event) => `data: ${JSON.stringify(event)}\n\n`));
  };
  const read = (data: string, name: string): void => {
    count += 1;
    if (count > MAX_ANSWER_EVENTS)
      throw new NetworkError('too large', `The answer has more than ${MAX_ANSWER_EVENTS} events`);
    if (data.trim() === END_OF_STREAM) isDone = true;
    else write(readStreamEvent(data, name).flatMap((event) => reader.read(event, name)));
  };
  // Errors are thrown by `read` through the parser, which calls it synchronously.
  const parser = createParser({
    onEvent: ({ data, event = '' }) => read(data, event),
    // Some servers report an error as a line of JSON that is no event.
    onError: ({ line = '' }) => line.startsWith('{') && read(line, ''),
  });
  const flush = (): Uint8Array | null => {
    const bytes = written.length === 0 ? null : encoder.encode(written.join(''));
    written = [];
    return bytes;
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      parser.feed(toLines(decoder.decode(chunk, { stream: true })));
      const bytes = flush();
      if (bytes) controller.enqueue(bytes);
    },
    flush(controller) {
      // Some servers do not end their last event.
      parser.feed(toLines(`${decoder.decode()}\n\n`));
      if (isDone) write(reader.complete());
      const bytes = flush();
      if (bytes) controller.enqueue(bytes);
    },
  });
}

/**
 * Returns a function that replaces the three line ends of event streams by `\n` in consecutive pieces of a text. The
 * parser reads lines that end with `\r` alone in quadratic time.
 */
function createLineEnds(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    return text.slice(0, text.length - held.length).replaceAll(/\r\n?/g, '\n');
  };
}

/** Reads an event's data. @returns none for a text that keeps the connection alive @throws ReportedError, and CallError for data that is no object */
function readStreamEvent(data: string, name: string): readonly JsonObject[] {
  if (KEEP_ALIVE.test(data.trim())) return [];
  const event = parseEvent(data, name);
  if (event === null) return [];
  const object = isJsonList(event) ? (event[0] ?? null) : event;
  if (!isJsonObject(object)) throw unusableAnswer('an event of its stream is no object');
  const error = errorWithin(object, name);
  if (error) throw new ReportedError(error);
  return [object];
}

function parseEvent(data: string, name: string): Json {
  try {
    return parseOutsideJson(data, isAnyText);
  } catch {
    if (/error/i.test(name)) throw new ReportedError(toProviderError(data));
    throw incompleteAnswer(`an event of its stream is broken, it is no JSON: ${data}`);
  }
}
