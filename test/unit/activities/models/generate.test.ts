import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { createGuardedFetch } from '../../../../src/network/guarded-request.ts';
import { createGenerate } from '../../../../src/activities/models/generate.ts';
import type { ModelRequest, ModelSettings } from '../../../../src/activities/models/model.ts';
import { createEnvironmentSecrets } from '../../../../src/activities/secrets.ts';
import type { ModelReply } from '../../../../src/graph/run/effect.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aModelContext, aModelQuestion } from '../../../support/builders/call-builders.ts';
import { answer, breakOff, closedPort, hangUp, json, silence } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const CANARY = 'canary-4711';

const server = await useLoopbackServer();

interface Asking {
  readonly settings?: Partial<ModelSettings>;
  readonly request?: Partial<ModelRequest>;
  readonly allow?: readonly string[];
  readonly signal?: AbortSignal;
}

async function ask({
  settings,
  request,
  allow = [server.address],
  signal = new AbortController().signal,
}: Asking = {}): Promise<ModelReply> {
  const base = {
    provider: 'openai-compatible',
    model: 'gpt-x',
    baseUrl: `${server.url}/v1`,
    apiKey: { secret: 'MODEL_KEY' },
  } as const;
  const deps = { fetch: createGuardedFetch(allow), secrets: createEnvironmentSecrets({ MODEL_KEY: CANARY }) };
  return await createGenerate({ ...base, ...settings }, deps)(aModelQuestion(request), aModelContext({ signal }));
}

/** A response of the OpenAI API. */
function aCompletion({
  message = {},
  ...over
}: { message?: JsonObject; finish_reason?: string; usage?: Json } = {}): Answer {
  const { finish_reason = 'stop', usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } } = over;
  const choice = { index: 0, message: { role: 'assistant', content: 'Hi', ...message }, finish_reason };
  return json({ id: 'c1', object: 'chat.completion', created: 1, model: 'gpt-x', choices: [choice], usage });
}

function aRefusal(status: number, error: JsonObject = { message: 'No' }, headers: Record<string, string> = {}): Answer {
  return json({ error }, status, headers);
}

/** Returns the body of a successful request. */
async function bodyOf(request: Partial<ModelRequest>): Promise<unknown> {
  server.answers(aCompletion());
  await ask({ request });
  return JSON.parse(server.requests[0]?.body ?? '');
}

/** Returns the failure of a request with the given response. */
async function failureOf(given: Answer, asking: Asking = {}): Promise<CallError> {
  server.answers(given);
  const thrown = await ask(asking).then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof CallError) return thrown;
  throw new Error('The model did not fail with a CallError', { cause: thrown });
}

describe('a request', () => {
  test('a model request is sent to the base URL once with the key', async () => {
    server.answers(aCompletion());
    await ask();
    expect(server.requests).toMatchObject([
      { method: 'POST', target: '/v1/chat/completions', headers: { authorization: `Bearer ${CANARY}` } },
    ]);
  });

  test('a model request without a key has no credentials', async () => {
    server.answers(aCompletion());
    await ask({ settings: { apiKey: undefined } });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('a model request contains the model and the messages, and nothing that was not requested', async () => {
    expect(await bodyOf({})).toEqual({ model: 'gpt-x', messages: [{ role: 'user', content: 'Hello' }] });
  });

  test('a model request begins with the system prompt', async () => {
    expect(await bodyOf({ system: 'Be brief.' })).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
    });
  });

  test('a model request contains tool calls and their answers', async () => {
    const messages = [
      { id: 'm1', role: 'user', content: 'Where is 7?' },
      { id: 'm2', role: 'assistant', content: '', toolCalls: [{ id: 't1', name: 'lookup', args: { order: 7 } }] },
      { id: 'm3', role: 'tool', content: 'On its way', toolCallId: 't1' },
    ] as const;
    expect(await bodyOf({ messages })).toMatchObject({
      messages: [
        { role: 'user', content: 'Where is 7?' },
        {
          role: 'assistant',
          tool_calls: [{ id: 't1', type: 'function', function: { name: 'lookup', arguments: '{"order":7}' } }],
        },
        { role: 'tool', tool_call_id: 't1', content: 'On its way' },
      ],
    });
  });

  test('a model request asks for JSON with the output schema', async () => {
    const output = {
      type: 'object',
      properties: { intent: { enum: ['refund', 'other'] } },
      required: ['intent'],
    } as const;
    expect(await bodyOf({ output })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: output } },
    });
  });

  test('a model request asks for JSON in the prompt if the output need not be an object', async () => {
    const body = await bodyOf({ output: true, system: 'Be brief.' });
    expect(body).not.toHaveProperty('response_format');
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: expect.stringMatching(/^Be brief\.\n\nAnswer with JSON only.*\ntrue$/s) },
        { role: 'user' },
      ],
    });
  });

  test('a model request contains the temperature and the maximum length, zero included', async () => {
    expect(await bodyOf({ temperature: 0, maxOutputTokens: 5 })).toMatchObject({ temperature: 0, max_tokens: 5 });
  });
});

describe('a reply', () => {
  const replyTo = async (given: Answer): Promise<ModelReply> => {
    server.answers(given);
    return await ask();
  };

  test('a model’s reply contains its text and its usage', async () => {
    expect(await replyTo(aCompletion())).toEqual({
      kind: 'model',
      text: 'Hi',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });

  test('a model’s reply has a usage of 0 when the provider states none', async () => {
    expect((await replyTo(aCompletion({ usage: null }))).usage).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  test('the usage of a model’s reply is never negative or too large to count', async () => {
    const usage = { prompt_tokens: 1e308, completion_tokens: -5, total_tokens: 0.5 };
    const counted = { inputTokens: 1_000_000_000, outputTokens: 0 };
    expect((await replyTo(aCompletion({ usage }))).usage).toEqual(counted);
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'tool-calls'],
    ['function_call', 'tool-calls'],
    ['something unknown', 'other'],
  ])('the finish reason %s of a provider is mapped to %s', async (finish_reason, expected) => {
    expect(await replyTo(aCompletion({ finish_reason }))).toMatchObject({ finishReason: expected });
  });

  test.each<[string, Json]>([
    ['{"order":7}', { order: 7 }],
    ['', {}],
    ['{"order":', '{"order":'],
  ])('a model’s reply asks for a tool with the arguments %j', async (text, args) => {
    const call = { id: 't1', type: 'function', function: { name: 'lookup', arguments: text } };
    const given = aCompletion({ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' });
    expect(await replyTo(given)).toMatchObject({
      text: '',
      toolCalls: [{ id: 't1', name: 'lookup', args }],
      finishReason: 'tool-calls',
    });
  });
});

describe('a failure', () => {
  test.each([
    [400, { retryable: false }],
    [401, { retryable: false }],
    [403, { retryable: false }],
    [404, { retryable: false }],
    [422, { retryable: false }],
    [408, { retryable: true }],
    [409, { retryable: true }],
    [425, { retryable: true }],
    [429, { retryable: true }],
    [500, { retryable: true }],
    [503, { retryable: true }],
    [529, { retryable: true }],
  ])('a failed model request with status %i is %o, and the request is sent once', async (status, verdict) => {
    expect(await failureOf(aRefusal(status))).toMatchObject({ code: 'MODEL_FAILED', ...verdict });
    expect(server.requests).toHaveLength(1);
  });

  test('the error of a model request contains the provider’s message', async () => {
    const { message } = await failureOf(aRefusal(400, { message: 'No such thing', code: 'bad' }));
    expect(message).toBe('default answered 400: No such thing');
  });

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  ])('the retry delay of a model request is read from the headers %o', async (headers, retryAfterMs) => {
    expect(await failureOf(aRefusal(429, { message: 'Slow down' }, headers))).toMatchObject({
      retryable: true,
      retryAfterMs,
    });
  });

  test.each([
    [400, 'true', true],
    [503, 'false', false],
  ])('a failed model request with status %i follows x-should-retry: %s', async (status, told, retryable) => {
    expect(await failureOf(aRefusal(status, { message: 'No' }, { 'x-should-retry': told }))).toMatchObject({
      retryable,
    });
  });

  test.each([
    ['<html>Bad gateway</html>', 502, true],
    ['', 503, true],
    ['[]', 500, true],
    ['{"error":"text"}', 400, false],
  ])('a failed model request with the body %j is classified by its status', async (body, status, retryable) => {
    expect(await failureOf(answer(status, { 'content-type': 'application/json' }, body))).toMatchObject({
      code: 'MODEL_FAILED',
      retryable,
    });
  });

  test.each(['no JSON', '{"choices":[]}', '{"id":7}'])('a model’s reply that is %j fails permanently', async (body) => {
    const given = answer(200, { 'content-type': 'application/json' }, body);
    expect(await failureOf(given)).toMatchObject({ code: 'MODEL_FAILED', retryable: false });
  });

  test.each([
    ['before', hangUp],
    ['within', breakOff],
  ])('a network failure of a model request %s the answer is retryable', async (_when, breaking) => {
    expect(await failureOf(breaking)).toMatchObject({ code: 'MODEL_FAILED', retryable: true });
    expect(server.requests).toHaveLength(1);
  });

  test('a failure to connect to a model provider is retryable', async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    const asking = { settings: { baseUrl: `http://${address}/v1` }, allow: [address] };
    expect(await failureOf(hangUp, asking)).toMatchObject({ code: 'MODEL_FAILED', retryable: true, done: 'no' });
  });

  test('the error of a model request never contains the API key', async () => {
    const { message } = await failureOf(aRefusal(401, { message: `Incorrect API key provided: ${CANARY}` }));
    expect(message).toContain('Incorrect API key provided');
    expect(message).not.toContain(CANARY);
  });

  test('the error of a model request never contains a part of the API key, such as JSON parsers quote', async () => {
    const garbage = answer(200, { 'content-type': 'text/event-stream' }, `data: ${CANARY} is not known\n\n`);
    const { message } = await failureOf(garbage, { settings: { stream: true } });
    expect(message).toContain('it is no JSON: [secret] is not known');
    expect(message).not.toContain(CANARY.slice(0, 6));
  });

  test('a missing API key is an error of the model', async () => {
    const failure = await failureOf(hangUp, { settings: { apiKey: { secret: 'NO_KEY' } } });
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', done: 'no' });
    expect(failure.message).toContain('NO_KEY');
    expect(server.requests).toHaveLength(0);
  });
});

describe('a model at an address that is not public', () => {
  test.each(['127.0.0.1', 'localhost'])('a model at the private address %s is not called', async (host) => {
    const settings = { baseUrl: `http://${host}:${server.port}/v1` };
    expect(await failureOf(aCompletion(), { settings, allow: [] })).toMatchObject({
      code: 'BLOCKED_URL',
      retryable: false,
    });
    expect(server.connections).toBe(0);
  });

  test('a model at a private address is not called through a redirect', async () => {
    const failure = await failureOf(answer(307, { location: `${server.url}/elsewhere` }));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: false });
    expect(server.requests.map(({ target }) => target)).toEqual(['/v1/chat/completions']);
  });
});

describe('an abort', () => {
  test('an abort closes the connection while the model’s answer is awaited', async () => {
    const { answer, asked, left } = silence();
    server.answers(answer);
    const controller = new AbortController();
    const call = ask({ signal: controller.signal });
    await asked;
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(CallError);
    await left;
  });
});
