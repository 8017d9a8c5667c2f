import { CallError } from '../../../src/activities/calls/call-error.ts';
import { createGuardedFetch } from '../../../src/network/guarded-request.ts';
import { createGenerate } from '../../../src/activities/models/generate.ts';
import type { AttemptContext, ModelRequest, ModelSettings } from '../../../src/activities/models/model.ts';
import type { ModelReply } from '../../../src/graph/run/effect.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aModelContext, aModelQuestion } from '../builders/call-builders.ts';
import { answer } from './loopback-server.ts';
import type { Answer, ReceivedRequest, LoopbackServer } from './loopback-server.ts';

export type Provider = ModelSettings['provider'];

export const PROVIDERS: readonly Provider[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

/** A model of each provider that accepts the usual settings. */
export const MODELS: Readonly<Record<Provider, string>> = {
  openai: 'gpt-4.1',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  'openai-compatible': 'some-model',
};

export interface AskedModelSettings extends Partial<Omit<ModelSettings, 'provider'>> {
  readonly request?: Partial<ModelRequest>;
  readonly signal?: AbortSignal;
  readonly emit?: (text: string) => void;
  readonly readFile?: AttemptContext['readFile'];
  readonly isLastAttempt?: boolean;
}

/** Calls a model of a provider, with the given server as the provider. */
export async function askModel(
  server: LoopbackServer,
  provider: Provider,
  { request, signal, emit, readFile, isLastAttempt = false, ...settings }: AskedModelSettings = {},
): Promise<ModelReply> {
  const defaults = { provider, model: MODELS[provider], baseUrl: `${server.url}/v1`, apiKey: { secret: 'MODEL_KEY' } };
  const context = { ...(signal && { signal }), ...(emit && { emit }), ...(readFile && { readFile }) };
  const deps = { fetch: createGuardedFetch([server.address]), secrets: async () => 'key-4711' };
  return await createGenerate({ ...defaults, ...settings }, deps)(aModelQuestion(request), {
    ...aModelContext(context),
    isLastAttempt,
  });
}

/** Returns the error of a failing call. */
export async function failureOf(call: Promise<ModelReply>): Promise<CallError> {
  const thrown = await call.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof CallError) return thrown;
  throw new Error('The model did not fail with a CallError', { cause: thrown });
}

/** Returns the only request to the server, its body as JSON. */
export function onlyRequest({ requests }: LoopbackServer): Omit<ReceivedRequest, 'body'> & { readonly body: Json } {
  const [first] = requests;
  if (!first || requests.length > 1) throw new Error(`The server heard ${requests.length} requests`);
  return { ...first, body: toJson(JSON.parse(first.body)) };
}

interface TypedEvent extends JsonObject {
  readonly type: string;
}

/** Builds server-sent events in the format of OpenAI's chat completions and Google. */
export function dataEvents(...events: readonly Json[]): Answer {
  return eventStream(events.map((event) => `data: ${event === '[DONE]' ? '[DONE]' : JSON.stringify(event)}\n\n`));
}

/** Builds server-sent events in the format of Anthropic and OpenAI's responses: the type is the event's name. */
export function namedEvents(...events: readonly TypedEvent[]): Answer {
  return eventStream(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

function eventStream(lines: readonly string[]): Answer {
  return answer(200, { 'content-type': 'text/event-stream' }, lines.join(''));
}

/** Sends the beginning of a stream, then leaves the response to another answer. */
export function begunStream(events: readonly Json[], then: Answer): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), () => then(response));
  };
}
