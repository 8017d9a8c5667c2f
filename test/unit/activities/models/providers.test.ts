import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../../src/network/guarded-request.ts';
import { createGenerate } from '../../../../src/activities/models/generate.ts';
import type { ModelSettings } from '../../../../src/activities/models/model.ts';
import type { ModelReply } from '../../../../src/graph/run/effect.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import { aModelContext, aModelQuestion } from '../../../support/builders/call-builders.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

interface ProviderCase {
  readonly provider: ModelSettings['provider'];
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** An answer with the text "Hi", and a usage of 12 tokens in and 3 out. */
  readonly reply: JsonObject;
}

const CASES: readonly ProviderCase[] = [
  {
    provider: 'openai',
    target: '/v1/responses',
    headers: { authorization: 'Bearer k' },
    reply: {
      id: 'r1',
      created_at: 1,
      model: 'm',
      output: [
        {
          type: 'message',
          id: 'o1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
        },
      ],
      usage: { input_tokens: 12, output_tokens: 3 },
    },
  },
  {
    provider: 'anthropic',
    target: '/v1/messages',
    headers: { 'x-api-key': 'k' },
    reply: {
      id: 'a1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 3 },
    },
  },
  {
    provider: 'google',
    target: '/v1/models/m:generateContent',
    headers: { 'x-goog-api-key': 'k' },
    reply: {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15 },
    },
  },
  {
    provider: 'openai-compatible',
    target: '/v1/chat/completions',
    headers: { authorization: 'Bearer k' },
    reply: {
      id: 'c1',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3 },
    },
  },
];

const server = await useLoopbackServer();

async function ask(provider: ModelSettings['provider']): Promise<ModelReply> {
  const settings = { provider, model: 'm', baseUrl: `${server.url}/v1`, apiKey: 'k' };
  const generate = createGenerate(settings, { fetch: createGuardedFetch([server.address]), secrets: async () => '' });
  return await generate(aModelQuestion(), aModelContext());
}

describe.each(CASES)('$provider', ({ provider, target, headers, reply }) => {
  test('a model provider is called at its base URL with the key, and its reply is read', async () => {
    server.answers(json(reply));
    const usage = { inputTokens: 12, outputTokens: 3 };
    expect(await ask(provider)).toEqual({ kind: 'model', text: 'Hi', toolCalls: [], finishReason: 'stop', usage });
    expect(server.requests).toMatchObject([{ method: 'POST', target, headers }]);
  });

  test.each([
    [401, false],
    [429, true],
    [500, true],
  ])('a model provider is called once when it responds with %i', async (status, retryable) => {
    server.answers(json({ error: { message: 'No', type: 'some_error' } }, status, { 'retry-after': '7' }));
    await expect(ask(provider)).rejects.toMatchObject({ code: 'MODEL_FAILED', retryable, retryAfterMs: 7_000 });
    expect(server.requests).toHaveLength(1);
  });
});
