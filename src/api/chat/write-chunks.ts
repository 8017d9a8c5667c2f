import type { SseBody } from '../streams/sse-body.ts';
import type { Chunk } from './narrate/chunk.ts';

/** The headers of the AI SDK's UI message stream, version 1. */
export const CHUNK_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
} as const;

const DONE = 'data: [DONE]\n\n';

/** Writes chunks to their end, each when its reader has space for it. @param fail tells the reader that there are no more */
export async function writeChunks(
  body: SseBody,
  chunks: AsyncGenerator<Chunk, void>,
  fail: (error: unknown) => Chunk,
): Promise<void> {
  try {
    for await (const chunk of chunks) if (!(await body.write(toLine(chunk)))) return;
  } catch (error) {
    await body.write(toLine(fail(error)));
  }
  await body.write(DONE);
}

function toLine(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
