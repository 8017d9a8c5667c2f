import { expect, test } from 'vitest';
import type { UiChunk } from '../../../../src/api/chat/messages/plan-chat.ts';
import { writeChunks } from '../../../../src/api/chat/chat-stream.ts';
import { openSseBody } from '../../../../src/api/streams/sse-body.ts';

const STEP = { type: 'start-step' } as const;

function write(chunks: () => AsyncGenerator<UiChunk, void>) {
  const body = openSseBody({ heartbeatMs: 15_000, stallMs: 30_000 });
  const written = writeChunks(body, chunks(), (error) => ({ type: 'error', errorText: String(error) })).finally(
    body.end,
  );
  return { response: new Response(body.stream), written };
}

test('chunks are sent as events, and so is the end', async () => {
  const { response } = write(async function* () {
    yield STEP;
  });
  expect(await response.text()).toBe('data: {"type":"start-step"}\n\ndata: [DONE]\n\n');
});

test('a failure is sent as an error', async () => {
  const { response } = write(async function* () {
    yield STEP;
    throw new Error('away');
  });
  const [, failed] = (await response.text()).split('\n\n');
  expect(failed).toBe('data: {"type":"error","errorText":"Error: away"}');
});

test('no chunks are generated for a client that does not read, nor after it has left', async () => {
  const long = { type: 'text-delta', id: 't', delta: 'x'.repeat(30_000) } as const;
  let made = 0;
  const { response, written } = write(async function* () {
    for (;;) {
      made += 1;
      yield long;
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(made).toBe(3);
  await response.body?.cancel();
  await written;
  expect(made).toBe(3);
});
