import { Hono } from 'hono';
import { z } from 'zod';
import { listenOnPort } from '../../src/process/listen.ts';
import { createBehaviors } from './behaviors.ts';
import type { ServiceEnvironment } from './behaviors.ts';

/** A model of OpenAI's protocol that requests two tools, then one more, and then answers, with changing behavior. */
export interface ScriptedModel {
  /** Its base URL for a configuration. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

const RequestSchema = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) });
type Messages = z.output<typeof RequestSchema>['messages'];

/** The tools that it requests in each turn. */
const TURNS: readonly (readonly string[])[] = [['look', 'order'], ['pay']];
const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

export async function startScriptedModel(seed: number): Promise<ScriptedModel> {
  const behaviors = createBehaviors(seed);
  const app = new Hono<ServiceEnvironment>();
  const messagesOf = async (json: () => Promise<unknown>): Promise<Messages> =>
    RequestSchema.parse(await json()).messages;
  const subject = behaviors.middleware(async ({ req }) => {
    const messages = await messagesOf(() => req.json());
    return `${promptOf(messages)} ${turnOf(messages)}`;
  });
  app.post('/chat/completions', subject, async (context) =>
    context.json(complete(await messagesOf(() => context.req.json()))),
  );
  const door = await listenOnPort(app, { port: 0 });
  return { baseUrl: door.url, stop: () => door.stop() };
}

/** The prompt is the prefix of the run's job names. */
function promptOf(messages: Messages): string {
  return z.string().parse(messages.find(({ role }) => role === 'user')?.content);
}

function turnOf(messages: Messages): number {
  return messages.filter((message) => message.role === 'assistant').length;
}

function complete(messages: Messages): object {
  const job = promptOf(messages);
  const turn = turnOf(messages);
  const tools = TURNS[turn];
  const tool_calls = tools?.map((name) => ({
    id: `${name}-${turn}`,
    type: 'function',
    function: { name, arguments: JSON.stringify({ job: `${job}/${name}` }) },
  }));
  const message = tools
    ? { role: 'assistant', content: null, tool_calls }
    : { role: 'assistant', content: `Done ${job}` };
  const choices = [{ index: 0, message, finish_reason: tools ? 'tool_calls' : 'stop' }];
  return { id: 'c', object: 'chat.completion', created: 1, model: 'scripted', choices, usage: USAGE };
}
