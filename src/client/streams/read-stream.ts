import type { Connection } from '../connection.ts';
import type { ApiRequest } from '../send.ts';
import type { Timing } from '../timing.ts';
import { createEventParser } from './event-parser.ts';
import type { ServerSentEvent } from './event-parser.ts';

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
