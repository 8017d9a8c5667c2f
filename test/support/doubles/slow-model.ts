import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A model with OpenAI's protocol that streams long answers word by word. */
export interface SlowModel {
  /** Its base URL for a configuration. */
  readonly baseUrl: string;
  /** The address in the form of `http.allow`. */
  readonly address: string;
  stop(): Promise<void>;
}

const RequestSchema = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) });

/** @param words the number of words in an answer, all of them different */
export async function startSlowModel({
  words,
  pauseMs,
}: {
  readonly words: number;
  readonly pauseMs: number;
}): Promise<SlowModel> {
  const serve = async (request: Request): Promise<Response> => {
    const { messages } = RequestSchema.parse(await request.json());
    const prompt = z.string().parse(messages.findLast(({ role }) => role === 'user')?.content);
    const said = Array.from({ length: words }, (_, n) => `${prompt}${n} `);
    return new Response(slowly(said, pauseMs), { headers: { 'content-type': 'text/event-stream' } });
  };
  const door = await listenOnPort({ fetch: serve }, { port: 0 });
  return { baseUrl: door.url, address: `127.0.0.1:${door.port}`, stop: () => door.stop() };
}

function slowly(words: readonly string[], pauseMs: number): ReadableStream<Uint8Array> {
  const left = [...words];
  return new ReadableStream({
    async pull(controller) {
      await sleep(pauseMs);
      const word = left.shift();
      const delta = word === undefined ? {} : { content: word };
      controller.enqueue(toFrame({ index: 0, delta, finish_reason: word === undefined ? 'stop' : null }));
      if (word !== undefined) return;
      controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'));
      controller.close();
    },
  });
}

function toFrame(choice: object): Uint8Array {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'slow', choices: [choice], usage };
  return new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
}
