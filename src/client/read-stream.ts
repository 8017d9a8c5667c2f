import type { ApiRequest, Connection, Timing } from './send.ts';
import { HoldfastError } from './holdfast-error.ts';

interface StreamOptions {
  /** The id of the last known event. */
  readonly lastId: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `null` if the stream has ended or is broken. */
type StreamChunk = Uint8Array | null;

/** The API sends something every 15 seconds; a connection that is silent for longer is broken. */
const SILENT_MS = 45_000;

/**
 * Yields the events of one stream. To continue later, open another stream with the last id.
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
  const reader = (await send.stream({ method: 'GET', ...request, headers }, { signal: until })).getReader();
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

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, timing: Timing): Promise<StreamChunk> {
  const received = new AbortController();
  const chunk = reader.read().then(
    ({ value }): StreamChunk => value ?? null,
    (): StreamChunk => null,
  );
  const silence = timing.sleep(SILENT_MS, received.signal).then(
    (): StreamChunk => null,
    (): StreamChunk => null,
  );
  return await Promise.race([chunk, silence]).finally(() => received.abort());
}

/** An event of a stream of server-sent events (WHATWG HTML, section 9.2). */
export interface ServerSentEvent {
  /** The id from which a reader resumes; empty if the stream has not set one yet. */
  readonly lastId: string;
  /** Empty for an event that only updates `lastId`. */
  readonly type: string;
  readonly data: string;
}

/** Larger than any event of the API, so that an endless event can't exhaust memory. */
const MAX_EVENT_CHARACTERS = 100_000_000;

/**
 * Parses events from text that arrives in parts.
 * @returns the events that this part completes
 * @throws HoldfastError for an event that is too large
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
    const isReported = isEvent || hasId;
    [type, data, hasId, heldCharacters] = ['', [], false, 0];
    return isReported ? [event] : [];
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

/** Lines end with CR, LF or both, which may arrive in separate parts. */
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

/** Delays before a stream is opened again; they grow while no new event arrives. */
export interface RetryPauses {
  next(): Promise<void>;
  /** Resets the delay after a new event. */
  reset(): void;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

export function createPauses(timing: Timing, signal: AbortSignal | undefined): RetryPauses {
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

/** Parses the data of an event with the type of its route. @throws HoldfastError for invalid JSON */
export function readEvent<T>(data: string): T;
export function readEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: 'An event of a stream is no JSON', cause });
  }
}
