import type { Connection } from './connection.ts';
import type { ApiRequest } from './send.ts';
import type { Timing } from './timing.ts';
import { HoldfastError } from './holdfast-error.ts';

interface StreamOptions {
  /** The id of the last event that is known. */
  readonly lastId: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `null`: the stream has ended, or has broken off. */
type Chunk = Uint8Array | null;

/** The API says something every 15 seconds; a connection that is silent for longer is broken. */
const SILENT_MS = 45_000;

/**
 * Gives the events of one stream. Whoever wants to go on after that opens the next one with the last id.
 * @throws HoldfastError when the stream is refused, or the reason of the signal
 */
export async function* readStream(
  { send, timing }: Connection,
  request: Pick<ApiRequest, 'path' | 'query'>,
  { lastId, signal }: StreamOptions,
): AsyncGenerator<ServerSentEvent, void> {
  const closing = new AbortController();
  const until = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const reader = (await send.opened({ method: 'GET', ...request, headers }, { signal: until })).getReader();
  until.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
  const decoder = new TextDecoder();
  const parse = createEventParser();
  try {
    for (;;) {
      const chunk = await nextChunk(reader, timing);
      signal?.throwIfAborted();
      if (!chunk) return;
      yield* parse(decoder.decode(chunk, { stream: true }));
    }
  } finally {
    closing.abort();
  }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, timing: Timing): Promise<Chunk> {
  const heard = new AbortController();
  const chunk = reader.read().then(
    ({ value }): Chunk => value ?? null,
    (): Chunk => null,
  );
  const silence = timing.sleep(SILENT_MS, heard.signal).then(
    (): Chunk => null,
    (): Chunk => null,
  );
  return await Promise.race([chunk, silence]).finally(() => heard.abort());
}

/** An event of a stream of server-sent events (WHATWG HTML, section 9.2). */
export interface ServerSentEvent {
  /** What a reader resumes after; empty: the stream has named none yet. */
  readonly lastId: string;
  /** Empty where the stream only moves `lastId`. */
  readonly type: string;
  readonly data: string;
}

/** More than any event of the API has. What never ends must not take all memory. */
const MAX_EVENT_CHARACTERS = 100_000_000;

/**
 * Reads events of text that comes in parts.
 * @returns the events that are whole with this part
 * @throws HoldfastError for an event that goes on and on
 */
export type EventParser = (text: string) => readonly ServerSentEvent[];

export function createEventParser(): EventParser {
  const toLines = createLineSplitter();
  let lastId = '';
  let type = '';
  let data: string[] = [];
  let hasId = false;
  let heldCharacters = 0;
  const end = (): readonly ServerSentEvent[] => {
    const isEvent = data.length > 0;
    const event = { lastId, type: isEvent ? type || 'message' : '', data: data.join('\n') };
    const isTold = isEvent || hasId;
    [type, data, hasId, heldCharacters] = ['', [], false, 0];
    return isTold ? [event] : [];
  };
  const fields: Readonly<Record<string, (value: string) => void>> = {
    event: (value) => (type = value),
    data: (value) => void data.push(value),
    id(value) {
      if (value.includes('\0')) return;
      [lastId, hasId] = [value, true];
    },
  };
  const takeLine = (line: string): readonly ServerSentEvent[] => {
    if (line === '') return end();
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (Object.hasOwn(fields, name)) fields[name]?.(value);
    return [];
  };
  return (text) => {
    heldCharacters += text.length;
    if (heldCharacters > MAX_EVENT_CHARACTERS)
      throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: 'An event of a stream is too long' });
    return toLines(text).flatMap(takeLine);
  };
}

/** Lines end with CR, LF or both, which may come apart. */
function createLineSplitter(): (text: string) => readonly string[] {
  let parts: string[] = [];
  let endsWithReturn = false;
  return (text) => {
    if (text === '') return [];
    const rest = endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    endsWithReturn = text.endsWith('\r');
    const lines = rest.split(/\r\n|\n|\r/);
    const open = lines.pop() ?? '';
    const [first, ...others] = lines;
    if (first === undefined) {
      parts.push(open);
      return [];
    }
    const whole = [parts.join('') + first, ...others];
    parts = [open];
    return whole;
  };
}

/** Pauses before a stream is opened anew: longer each time that nothing new came. */
export interface Pauses {
  next(): Promise<void>;
  /** Called when something new has come. */
  reset(): void;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

export function createPauses(timing: Timing, signal: AbortSignal | undefined): Pauses {
  let pauses = 0;
  return {
    async next() {
      const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** pauses);
      pauses += 1;
      await timing.sleep(ms * (0.5 + timing.random() / 2), signal);
    },
    reset: () => void (pauses = 0),
  };
}

/** Reads the data of an event. Its type is the route's. @throws HoldfastError for what is no JSON */
export function readEvent<T>(data: string): T;
export function readEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: 'An event of a stream is no JSON', cause });
  }
}
