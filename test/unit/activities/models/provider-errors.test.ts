import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { PROVIDERS, askModel, failureOf } from '../../../support/doubles/asked-model.ts';
import type { AskedModelSettings, Provider } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

const ofOpenAI = (code: string | null, message: string, type = 'invalid_request_error'): Json => ({
  error: { message, type, param: null, code },
});
const ofAnthropic = (type: string, message: string): Json => ({
  type: 'error',
  error: { type, message },
  request_id: 'r',
});
const ofGoogle = (code: number, status: string, ...[message, ...details]: [string, ...JsonObject[]]): Json => ({
  error: { code, message, status, ...(details.length > 0 && { details }) },
});
const quotaFailure = (...quotaIds: string[]): JsonObject => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: quotaIds.map((quotaId) => ({
    quotaMetric: 'generativelanguage.googleapis.com/requests',
    quotaId,
    quotaValue: '10',
  })),
});
const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' };
const CURRENT_QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

interface Row {
  readonly provider: Provider;
  readonly what: string;
  readonly status: number;
  readonly body: Json;
  readonly verdict: {
    readonly retryable: boolean;
    readonly reason: string | null;
    readonly retryAfterMs?: number | null;
  };
}

const again = { retryable: true, reason: null };
const refused = { retryable: false, reason: null };
const noQuota = { retryable: false, reason: 'insufficient_quota' };
const filtered = { retryable: false, reason: 'content_filter' };
const tooLong = { retryable: false, reason: 'context_length_exceeded' };

const row =
  (provider: Provider) =>
  (what: string, status: number, rest: Pick<Row, 'body' | 'verdict'>): Row => ({ provider, what, status, ...rest });
const openai = row('openai');
const anthropic = row('anthropic');
const google = row('google');
const compatible = row('openai-compatible');

const ROWS: readonly Row[] = [
  openai('a wrong key', 401, { body: ofOpenAI('invalid_api_key', 'Incorrect API key provided'), verdict: refused }),
  openai('an unknown model', 404, { body: ofOpenAI('model_not_found', 'The model does not exist'), verdict: refused }),
  openai('a rate limit', 429, {
    body: ofOpenAI('rate_limit_exceeded', 'Rate limit reached', 'tokens'),
    verdict: again,
  }),
  openai('an exhausted quota', 429, {
    body: ofOpenAI('insufficient_quota', CURRENT_QUOTA, 'insufficient_quota'),
    verdict: noQuota,
  }),
  openai('an inactive account', 429, {
    body: ofOpenAI('billing_not_active', 'Your account is not active', 'billing_not_active'),
    verdict: noQuota,
  }),
  openai('a billing limit', 400, {
    body: ofOpenAI('billing_hard_limit_reached', 'Billing hard limit has been reached'),
    verdict: noQuota,
  }),
  openai('too long a context', 400, {
    body: ofOpenAI('context_length_exceeded', 'Your input exceeds the context window of this model.'),
    verdict: tooLong,
  }),
  openai('a flagged prompt', 400, {
    body: ofOpenAI(
      'invalid_prompt',
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
    ),
    verdict: filtered,
  }),
  openai('a server error', 500, { body: ofOpenAI(null, 'The server had an error', 'server_error'), verdict: again }),

  anthropic('a wrong key', 401, { body: ofAnthropic('authentication_error', 'invalid x-api-key'), verdict: refused }),
  anthropic('a rate limit', 429, {
    body: ofAnthropic('rate_limit_error', "This request would exceed your account's rate limit."),
    verdict: again,
  }),
  anthropic('an overload', 529, { body: ofAnthropic('overloaded_error', 'Overloaded'), verdict: again }),
  anthropic('an internal error', 500, { body: ofAnthropic('api_error', 'Internal server error'), verdict: again }),
  anthropic('a request that is too large', 413, {
    body: ofAnthropic('request_too_large', 'Request exceeds the maximum size'),
    verdict: refused,
  }),
  anthropic('no credit', 400, {
    body: ofAnthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
    verdict: noQuota,
  }),
  anthropic('a spent limit', 400, {
    body: ofAnthropic('invalid_request_error', 'You have reached your specified API usage limits.'),
    verdict: noQuota,
  }),
  anthropic('a billing problem', 402, { body: ofAnthropic('billing_error', 'Payment required'), verdict: noQuota }),
  anthropic('too long a prompt', 400, {
    body: ofAnthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    verdict: tooLong,
  }),
  anthropic('a prompt too long for its answer', 400, {
    body: ofAnthropic(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    ),
    verdict: tooLong,
  }),
  anthropic('a filter', 400, {
    body: ofAnthropic('invalid_request_error', 'Output blocked by content filtering policy'),
    verdict: filtered,
  }),

  google('a wrong key', 400, { body: ofGoogle(400, 'INVALID_ARGUMENT', 'API key not valid.'), verdict: refused }),
  google('a limit of a minute', 429, {
    body: ofGoogle(
      429,
      'RESOURCE_EXHAUSTED',
      CURRENT_QUOTA,
      quotaFailure('GenerateRequestsPerMinutePerProjectPerModel'),
      RETRY_INFO,
    ),
    verdict: { ...again, retryAfterMs: 34_500 },
  }),
  google('a limit of a minute that it does not name', 429, {
    body: ofGoogle(429, 'RESOURCE_EXHAUSTED', CURRENT_QUOTA, RETRY_INFO),
    verdict: { ...again, retryAfterMs: 34_500 },
  }),
  google('a limit of a day', 429, {
    body: ofGoogle(
      429,
      'RESOURCE_EXHAUSTED',
      CURRENT_QUOTA,
      quotaFailure(
        'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
        'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
      ),
      RETRY_INFO,
    ),
    verdict: noQuota,
  }),
  google('an exhausted quota', 429, { body: ofGoogle(429, 'RESOURCE_EXHAUSTED', CURRENT_QUOTA), verdict: noQuota }),
  google('spent credits', 429, {
    body: ofGoogle(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.'),
    verdict: noQuota,
  }),
  google('an exhausted resource', 429, {
    body: ofGoogle(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
    verdict: again,
  }),
  google('too long a context', 400, {
    body: ofGoogle(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    verdict: tooLong,
  }),
  google('an overload', 503, { body: ofGoogle(503, 'UNAVAILABLE', 'The model is overloaded.'), verdict: again }),
  google('too long a wait', 504, { body: ofGoogle(504, 'DEADLINE_EXCEEDED', 'Deadline expired'), verdict: again }),

  compatible("Azure's filter", 400, {
    body: {
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: {} },
      },
    },
    verdict: filtered,
  }),
  compatible("Azure's filter, told inside only", 400, {
    body: { error: { code: '400', message: 'Filtered', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
    verdict: filtered,
  }),
  compatible('a content policy', 400, { body: ofOpenAI('content_policy_violation', 'No'), verdict: filtered }),
  compatible("OpenRouter's moderation", 403, {
    body: { error: { code: 403, message: 'Flagged', metadata: { reasons: ['violence'], flagged_input: '…' } } },
    verdict: filtered,
  }),
  compatible('no balance', 402, { body: ofOpenAI('invalid_request_error', 'Insufficient Balance'), verdict: noQuota }),
  compatible('too long a context of vLLM', 400, {
    body: {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    verdict: tooLong,
  }),
  compatible('too long a context of llama.cpp', 400, {
    body: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
      },
    },
    verdict: tooLong,
  }),
  compatible('a text for an error', 400, { body: { error: 'model is required' }, verdict: refused }),
];

describe.each(ROWS)('$provider: $what', ({ provider, status, body, verdict }) => {
  const WAYS: readonly AskedModelSettings[] = [{ stream: false }, { stream: true }];

  test.each(WAYS)('an error response of a provider is classified as %o after one request', async (way) => {
    server.answers(json(body, status));
    expect(await failureOf(askModel(server, provider, way))).toMatchObject({ code: 'MODEL_FAILED', ...verdict });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(PROVIDERS)('a status of %s', (provider) => {
  test.each([
    ...[400, 401, 403, 404, 405, 410, 413, 422].map((status) => [status, false] as const),
    ...[408, 409, 425, 429, 500, 502, 503, 504, 529].map((status) => [status, true] as const),
  ])('status %i of a model provider is retryable: %s', async (status, retryable) => {
    server.answers(json({}, status));
    expect(await failureOf(askModel(server, provider))).toMatchObject({ retryable, reason: null });
    expect(server.requests).toHaveLength(1);
  });
});

const RATE_LIMIT: Readonly<Record<Provider, Json>> = {
  openai: ofOpenAI('rate_limit_exceeded', 'Rate limit reached', 'requests'),
  anthropic: ofAnthropic('rate_limit_error', 'Slow down'),
  google: ofGoogle(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
  'openai-compatible': ofOpenAI(null, 'Slow down', 'rate_limit'),
};

describe.each(PROVIDERS)('a header of %s', (provider) => {
  const failureWith = async (headers: Record<string, string>, status = 429): Promise<unknown> => {
    server.answers(json(RATE_LIMIT[provider], status, headers));
    return await failureOf(askModel(server, provider));
  };

  test.each([
    ['true', 400, true],
    ['false', 429, false],
  ])('the header x-should-retry: %s of a model provider overrides status %i', async (told, status, retryable) => {
    expect(await failureWith({ 'x-should-retry': told }, status)).toMatchObject({ retryable });
  });

  test.each([
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  ])('the headers %o of a model provider set the retry delay', async (headers, retryAfterMs) => {
    expect(await failureWith(headers)).toMatchObject({ retryable: true, retryAfterMs });
  });
});

test('an exhausted quota is final regardless of x-should-retry', async () => {
  server.answers(json(ofOpenAI('insufficient_quota', CURRENT_QUOTA), 429, { 'x-should-retry': 'true' }));
  expect(await failureOf(askModel(server, 'openai'))).toMatchObject(noQuota);
});
