import { z } from 'zod';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A model, by OpenAI's protocol, that calls tools first and answers once it has their results. */
export interface ToolAskingModel {
  readonly url: string;
  /** The address in the form of `http.allow`. */
  readonly address: string;
  stop(): Promise<void>;
}

interface Asked {
  readonly name: string;
  readonly args: object;
}

const BodySchema = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) });
const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** @param calls the tool calls of its first turn */
export async function startToolAskingModel(calls: readonly Asked[]): Promise<ToolAskingModel> {
  const door = await listenOnPort(
    { fetch: async (request) => Response.json(complete(await request.json(), calls)) },
    { port: 0 },
  );
  return { url: `${door.url}/v1`, address: `127.0.0.1:${door.port}`, stop: () => door.stop() };
}

function complete(body: unknown, calls: readonly Asked[]): object {
  const { messages } = BodySchema.parse(body);
  const isTold = messages.some(({ role }) => role === 'tool');
  const tool_calls = calls.map(({ name, args }, at) => ({
    id: `call-${at}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = isTold ? { role: 'assistant', content: 'Done' } : { role: 'assistant', content: null, tool_calls };
  const choices = [{ index: 0, message, finish_reason: isTold ? 'stop' : 'tool_calls' }];
  return { id: 'c', object: 'chat.completion', created: 1, model: 'asking', choices, usage: USAGE };
}
