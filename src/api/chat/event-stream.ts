import type { ChunkOrBeat } from './chunks-of-run.ts';
import type { Chunk } from './narrate/chunk.ts';

/** The headers of the AI SDK's UI message stream, version 1. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
} as const;

const BEAT = ': hb\n\n';
const DONE = 'data: [DONE]\n\n';

/** What else a stream is made of. */
interface Ends {
  /** Tells the client that the stream has failed. */
  readonly fail: (error: unknown) => Chunk;
  /** Is called when the stream has ended, or its reader has left. */
  readonly over: () => void;
}

/** Answers with chunks as server-sent events. Each is made when the client has taken those before. */
export function eventStream(chunks: AsyncGenerator<ChunkOrBeat, void>, { fail, over }: Ends): Response {
  const lines = linesOf(chunks, fail);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await lines.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        over();
        controller.close();
      },
      async cancel() {
        over();
        await lines.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}

async function* linesOf(chunks: AsyncGenerator<ChunkOrBeat, void>, fail: Ends['fail']): AsyncGenerator<string, void> {
  try {
    for await (const chunk of chunks) yield chunk === 'beat' ? BEAT : toLine(chunk);
  } catch (error) {
    yield toLine(fail(error));
  }
  yield DONE;
}

function toLine(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
