import { Hono } from 'hono';
import { z } from 'zod';
import { createFaults, readJsonBody } from '../faults.ts';
import type { ServiceEnvironment } from '../faults.ts';
import { listenOnPort } from '../../process/listen.ts';
import type { OpenPort, ListenOptions } from '../../process/listen.ts';
import { ChatRequestSchema, completeChat } from './completion.ts';
import type { ChatCompletion } from './completion.ts';
import type { JsonObject } from '../../graph/values/index.ts';

const CHAT = '/v1/chat/completions';

/**
 * Starts a server with OpenAI's chat API that answers by rules, deterministically and without a key.
 * @returns its address, which ends in `/v1`
 * @throws if the port is in use
 */
export async function startScriptedModel(options: ListenOptions): Promise<OpenPort> {
  const listening = await listenOnPort(createScriptedModel(), options);
  return { ...listening, url: `${listening.url}/v1` };
}

function createScriptedModel(): Hono<ServiceEnvironment> {
  const app = new Hono<ServiceEnvironment>();
  const faults = createFaults([CHAT]);
  app.route('/v1/faults', faults.routes);
  app.get('/v1/models', (context) =>
    context.json({ object: 'list', data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'holdfast' }] }),
  );
  app.post(CHAT, faults.on(CHAT), async (context) => {
    const request = ChatRequestSchema.safeParse(await readJsonBody(context));
    if (!request.success) return context.json(toOpenAiError(z.prettifyError(request.error)), 400);
    const completion = completeChat(request.data);
    if (!request.data.stream) return context.json(completion);
    return context.body(toStreamedEvents(completion), 200, { 'content-type': 'text/event-stream' });
  });
  app.notFound((context) => context.json(toOpenAiError(`There is no ${context.req.path}`), 404));
  app.onError((error, context) => context.json(toOpenAiError(error.message), 400));
  return app;
}

function toOpenAiError(message: string): { readonly error: { message: string; type: string; code: null } } {
  return { error: { message, type: 'invalid_request_error', code: null } };
}

/** Formats a completion as the server-sent events of a stream, one word per event. */
function toStreamedEvents({ choices, usage, ...completion }: ChatCompletion): string {
  const chunks = choices.flatMap(({ index, message, logprobs, finish_reason }): readonly JsonObject[] => {
    const { content, tool_calls = [], ...begun } = message;
    const deltas: readonly JsonObject[] = [
      { ...begun, content: '' },
      ...splitWords(content ?? '').map((word) => ({ content: word })),
      ...tool_calls.map((call, at) => ({ tool_calls: [{ index: at, ...call }] })),
    ];
    const toChoice = (delta: JsonObject): JsonObject => ({ index, delta, logprobs, finish_reason: null });
    return [...deltas.map(toChoice), { index, delta: {}, logprobs, finish_reason }];
  });
  const common = { ...completion, object: 'chat.completion.chunk' };
  const events = [...chunks.map((choice) => ({ ...common, choices: [choice] })), { ...common, choices: [], usage }];
  return [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

function splitWords(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
