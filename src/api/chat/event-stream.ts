import type { ChunkOrBeat } from './chunks-of-run.ts';

/** The headers of the AI SDK's UI message stream, version 1. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
} as const;

const BEAT = ': hb\n\n';
const DONE = 'data: [DONE]\n\n';

/**
 * Answers with chunks as server-sent events. They are made when the client has taken those before.
 * @param over is called once nobody reads any more
 */
export function eventStream(chunks: AsyncGenerator<ChunkOrBeat, void>, over: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) return end(controller);
          controller.enqueue(encoder.encode(value === 'beat' ? BEAT : `data: ${JSON.stringify(value)}\n\n`));
        } catch (error) {
          over();
          controller.error(error);
        }
      },
      async cancel() {
        over();
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
  const end = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    over();
    controller.enqueue(encoder.encode(DONE));
    controller.close();
  };
  return new Response(body, { headers: HEADERS });
}
