import { expect, test } from 'vitest';
import { chatCompletions } from '../../../../src/activities/models/wire/chat-completions.ts';
import { rewriteEventStream } from '../../../../src/activities/models/wire/read-answer.ts';
import { NetworkError } from '../../../../src/network/network-error.ts';

test('a stream of more events than an answer can have fails', async () => {
  const events = new TextEncoder().encode('data:null\n\n'.repeat(10_001));
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let times = 0; times < 100; times++) controller.enqueue(events);
      controller.close();
    },
  });
  const read = async (): Promise<void> => {
    for await (const _chunk of source.pipeThrough(rewriteEventStream(chatCompletions)));
  };
  const failure: unknown = await read().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NetworkError);
  expect(failure).toMatchObject({ reason: 'too large' });
});
