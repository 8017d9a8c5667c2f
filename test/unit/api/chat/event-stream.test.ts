import { expect, test } from 'vitest';
import type { ChunkOrBeat } from '../../../../src/api/chat/chunks-of-run.ts';
import { eventStream } from '../../../../src/api/chat/event-stream.ts';

const STEP = { type: 'start-step' } as const;

function stream(chunks: () => AsyncGenerator<ChunkOrBeat, void>) {
  const ends: string[] = [];
  const response = eventStream(chunks(), {
    fail: (error) => ({ type: 'error', errorText: String(error) }),
    over: () => void ends.push('over'),
  });
  return { response, ends };
}

test('chunks are events, and so is the end', async () => {
  const { response, ends } = stream(async function* () {
    yield STEP;
    yield 'beat';
  });
  expect(await response.text()).toBe('data: {"type":"start-step"}\n\n: hb\n\ndata: [DONE]\n\n');
  expect(ends).toEqual(['over']);
});

test('a fault is told as an error', async () => {
  const { response, ends } = stream(async function* () {
    yield STEP;
    throw new Error('away');
  });
  const [, failed] = (await response.text()).split('\n\n');
  expect(failed).toBe('data: {"type":"error","errorText":"Error: away"}');
  expect(ends).toEqual(['over']);
});

test('nothing is made for a client that does not read, nor after it has left', async () => {
  let made = 0;
  const { response, ends } = stream(async function* () {
    for (;;) {
      made += 1;
      yield STEP;
    }
  });
  expect(made).toBe(0);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect([made, ends]).toEqual([1, ['over']]);
});
