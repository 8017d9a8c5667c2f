import { z } from 'zod';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A model with OpenAI's protocol whose one answer a test sends piece by piece. */
export interface HeldModel {
  /** Its base URL for a configuration. */
  readonly baseUrl: string;
  /** Sends a piece of the answer; resolves when it is written. */
  say(text: string): Promise<void>;
  /** Ends the answer. */
  end(): Promise<void>;
  stop(): Promise<void>;
}

const RequestSchema = z.looseObject({ stream: z.literal(true) });

/** Starts a model that answers one request; further requests get no response. */
export async function startHeldModel(): Promise<HeldModel> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const answers = [new Response(readable, { headers: { 'content-type': 'text/event-stream' } })];
  const serve = async (request: Request): Promise<Response> => {
    RequestSchema.parse(await request.json());
    return answers.shift() ?? new Response('The one answer is given', { status: 400 });
  };
  const door = await listenOnPort({ fetch: serve }, { port: 0 });
  return {
    baseUrl: `${door.url}/v1`,
    say: async (content) => await writer.write(toFrame({ content }, null)),
    async end() {
      await writer.write(toFrame({}, 'stop'));
      await writer.write(new TextEncoder().encode('data: [DONE]\n\n'));
      await writer.close();
    },
    stop: async () => await door.stop(),
  };
}

function toFrame(delta: object, reason: 'stop' | null): Uint8Array {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const choices = [{ index: 0, delta, finish_reason: reason }];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'held', choices, usage };
  return new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
}
