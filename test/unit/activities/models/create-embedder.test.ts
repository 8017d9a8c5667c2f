import { describe, expect, test, vi } from 'vitest';
import { createEmbedder } from '../../../../src/activities/models/create-embedder.ts';
import type { EmbeddingSettings, SleepWithSignal } from '../../../../src/activities/models/create-embedder.ts';
import { createGuardedFetch } from '../../../../src/network/guarded-request.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import { TextsRefusedError } from '../../../../src/store/memory/embedder.ts';
import { json, silence } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

interface ProviderCase {
  readonly provider: EmbeddingSettings['provider'];
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of the body that requests vectors of two numbers. */
  readonly asks: string;
  readonly answer: JsonObject;
}

const OPENAI = {
  data: [
    { index: 0, embedding: [1, 0] },
    { index: 1, embedding: [0, 1] },
  ],
  usage: { prompt_tokens: 7 },
};

const CASES: readonly ProviderCase[] = [
  {
    provider: 'openai',
    target: '/v1/embeddings',
    headers: { authorization: 'Bearer the-key-itself' },
    asks: '"dimensions":2',
    answer: OPENAI,
  },
  {
    provider: 'google',
    target: '/v1/models/m:batchEmbedContents',
    headers: { 'x-goog-api-key': 'the-key-itself' },
    asks: '"outputDimensionality":2',
    answer: { embeddings: [{ values: [1, 0] }, { values: [0, 1] }] },
  },
  {
    provider: 'openai-compatible',
    target: '/v1/embeddings',
    headers: { authorization: 'Bearer the-key-itself' },
    asks: '"input":["a","b"]',
    answer: OPENAI,
  },
];

const server = await useLoopbackServer();

interface Around {
  readonly allow?: readonly string[];
  readonly counted?: number[];
  readonly sleep?: SleepWithSignal;
}

function anEmbedder(over: Partial<EmbeddingSettings> = {}, around: Around = {}) {
  const { allow = [server.address], counted = [], sleep } = around;
  const settings = {
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: `${server.url}/v1`,
    apiKey: { secret: 'KEY' },
    dimensions: 2,
    minSimilarity: 0,
    timeoutMs: 5_000,
    ...over,
  } as const;
  const secrets = async (): Promise<string> => 'the-key-itself';
  const count = (tokens: number): void => void counted.push(tokens);
  return createEmbedder(settings, { fetch: createGuardedFetch(allow), secrets, count, ...(sleep && { sleep }) });
}

describe.each(CASES)('$provider', ({ provider, target, headers, asks, answer }) => {
  test('is called at the base URL with the key, and its vectors are read in order', async () => {
    server.answers(json(answer));
    expect(await anEmbedder({ provider }).embed(['a', 'b'])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(server.requests).toMatchObject([{ method: 'POST', target, headers }]);
    expect(server.requests[0]?.body).toContain(asks);
  });
});

test('tokens are counted', async () => {
  server.answers(json(OPENAI));
  const counted: number[] = [];
  await anEmbedder({}, { counted }).embed(['a', 'b']);
  expect(counted).toEqual([7]);
});

test('a transient failure is retried once within the time limit', async () => {
  server.answers(json({}, 503), json(OPENAI));
  expect(await anEmbedder().embed(['a', 'b'])).toHaveLength(2);
  server.answers(json({}, 503), json({}, 503));
  await expect(anEmbedder().embed(['a', 'b'])).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect(server.requests).toHaveLength(4);
});

test.each([7, 9_999_999])('a server that asks for %d seconds, more than are left, is not retried', async (seconds) => {
  server.answers(json({}, 429, { 'retry-after': String(seconds) }), json(OPENAI));
  const sleep = vi.fn<SleepWithSignal>(async () => await Promise.reject(new Error('the time is over')));
  const embedding = anEmbedder({ timeoutMs: 6_000 }, { sleep }).embed(['a', 'b']);
  await expect(embedding).rejects.toMatchObject({ retryAfterMs: seconds * 1_000 });
  expect(sleep.mock.calls).toEqual([[6_000, null, { signal: expect.any(AbortSignal) }]]);
  expect(server.requests).toHaveLength(1);
});

test('a silent server is abandoned after the time limit', async () => {
  const { answer, asked, left } = silence();
  server.answers(answer);
  const time = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(time.signal);
  const embedding = anEmbedder({ timeoutMs: 6_000 }).embed(['a']);
  expect(timeout.mock.calls).toEqual([[6_000]]);
  timeout.mockRestore();
  await asked;
  time.abort(new DOMException('The time is over', 'TimeoutError'));
  await expect(embedding).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  await left;
});

test.each([400, 413, 422])('texts refused with %i are distinguished from a server failure', async (status) => {
  server.answers(json({ error: { message: 'the-key-itself says no' } }, status));
  const error: unknown = await anEmbedder()
    .embed(['a'])
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TextsRefusedError);
  expect(String(error)).not.toContain('the-key-itself');
  expect(server.requests).toHaveLength(1);
});

test.each([
  [
    'vectors of another length',
    { data: [{ embedding: [1] }, { embedding: [1] }] },
    /vectors of 1 numbers in place of 2/,
  ],
  ['too few', { data: [{ embedding: [1, 0] }] }, /something else in place of 2/],
  ['no vectors', { data: 'none' }, /gave no usable answer/],
])('%s are refused as an answer', async (_what, answer, message) => {
  server.answers(json(answer));
  await expect(anEmbedder().embed(['a', 'b'])).rejects.toThrow(message);
});

test('a private address is not reached unless it is allowed', async () => {
  await expect(anEmbedder({}, { allow: [] }).embed(['a'])).rejects.toThrow(/private|blocked|not allowed/i);
  expect(server.connections).toBe(0);
});
