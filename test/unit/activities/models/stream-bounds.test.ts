import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { chatCompletions } from '../../../../src/activities/models/wire/chat-completions.ts';
import { rewriteEventStream } from '../../../../src/activities/models/wire/read-answer.ts';
import { NetworkError } from '../../../../src/network/network-error.ts';

test('a stream of more events than an answer can have fails', async () => {
  const pieces = Array.from({ length: 100 }, () => 'data:null\n\n'.repeat(10_001));
  const failure: unknown = await readAll(pieces).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NetworkError);
  expect(failure).toMatchObject({ reason: 'too large' });
});

test.each(['\r', '\n', '\r\n'])(
  'a stream whose lines end with %j is read wherever its bytes are split',
  async (end) => {
    const lines = ['a', 'b'].map((text) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}${end}${end}`);
    const whole = lines.join('');
    const expected = await readAll([whole.replaceAll(end, '\n')]);
    expect(expected).toContain('"b"');
    for (let at = 0; at <= whole.length; at++)
      expect(await readAll([whole.slice(0, at), whole.slice(at)])).toBe(expected);
  },
);

/** Reads a stream that arrives in pieces. @returns the rewritten events */
async function readAll(pieces: readonly string[]): Promise<string> {
  const encoder = new TextEncoder();
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  return await text(source.pipeThrough(rewriteEventStream(chatCompletions)));
}
