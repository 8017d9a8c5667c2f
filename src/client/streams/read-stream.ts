import type { Connection } from '../connection.ts';
import type { ApiRequest } from '../send.ts';
import type { Timing } from '../timing.ts';
import { createEventParser } from './event-parser.ts';
import type { ServerSentEvent } from './event-parser.ts';

interface StreamOptions {
  /** The id of the last event that is known. */
  readonly lastId: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream has ended as the API wanted; else it has broken off. */
  readonly onEnd?: (() => void) | undefined;
}

type Chunk = Uint8Array | 'end' | 'broken';

/** The API says something every 15 seconds; a connection that is silent for longer is broken. */
const SILENT_MS = 45_000;

/**
 * Gives the events of one stream. Whoever wants to go on after that opens the next one with the last id.
 * @throws HoldfastError when the stream is refused, or the reason of the signal
 */
export async function* readStream(
  { send, timing }: Connection,
  request: Pick<ApiRequest, 'path' | 'query'>,
  { lastId, signal, onEnd }: StreamOptions,
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
      if (chunk === 'end') return onEnd?.();
      if (chunk === 'broken') return;
      yield* parse(decoder.decode(chunk, { stream: true }));
    }
  } finally {
    closing.abort();
  }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, timing: Timing): Promise<Chunk> {
  const heard = new AbortController();
  const chunk = reader.read().then(
    ({ value }): Chunk => value ?? 'end',
    (): Chunk => 'broken',
  );
  const silence = timing.sleep(SILENT_MS, heard.signal).then(
    (): Chunk => 'broken',
    (): Chunk => 'broken',
  );
  return await Promise.race([chunk, silence]).finally(() => heard.abort());
}
