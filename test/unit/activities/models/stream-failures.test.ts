import { describe, expect, test } from 'vitest';
import type { CallError } from '../../../../src/activities/calls/call-error.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import { aCandidate, aResponse, claudeEvents } from '../../../support/builders/provider-replies.ts';
import {
  PROVIDERS,
  askModel,
  begunStream,
  dataEvents,
  failureOf,
  namedEvents,
} from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { hangUp, json, silence } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

/** Returns the failure of a stream with the given response. */
async function failureIn(provider: Provider, given: Answer): Promise<CallError> {
  server.answers(given);
  return await failureOf(askModel(server, provider, { stream: true }));
}

const CREATED = { type: 'response.created', response: aResponse([], { status: 'in_progress' }) };
const SAID = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'H' };
const BEGUN = claudeEvents([{ type: 'text', text: 'Hi' }], 'end_turn').slice(0, -2);
const chunk = (delta: JsonObject): JsonObject => ({
  id: 'c1',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
});

/** Streams that have begun and send nothing more. The type of an event is in its data, too. */
const BEGINNINGS: Readonly<Record<Provider, readonly JsonObject[]>> = {
  openai: [CREATED, SAID],
  anthropic: BEGUN,
  google: [aCandidate([{ text: 'H' }], null)],
  'openai-compatible': [chunk({ content: 'H' })],
};

describe.each(PROVIDERS)('a stream of %s', (provider) => {
  test('a model stream whose connection breaks is retryable', async () => {
    const failure = await failureIn(provider, begunStream(BEGINNINGS[provider], hangUp));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: true, done: 'perhaps' });
    expect(server.requests).toHaveLength(1);
  });

  test('a model stream that ends too early is retryable', async () => {
    const failure = await failureIn(provider, dataEvents(...BEGINNINGS[provider]));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: true, done: 'perhaps' });
  });

  test('a model stream that is invalid is not retryable', async () => {
    const failure = await failureIn(provider, dataEvents('no answer'));
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: false });
  });

  test('a model stream is closed when the call is aborted', async () => {
    const { answer: wait, asked, left } = silence();
    server.answers(begunStream(BEGINNINGS[provider], wait));
    const controller = new AbortController();
    const call = failureOf(askModel(server, provider, { stream: true, signal: controller.signal }));
    await asked;
    controller.abort();
    await left;
    expect(await call).toMatchObject({ code: 'MODEL_FAILED' });
  });

  test('a model stream is closed before its first event when the call is aborted', async () => {
    const { answer: wait, asked, left } = silence();
    server.answers(wait);
    const controller = new AbortController();
    const call = failureOf(askModel(server, provider, { signal: controller.signal }));
    await asked;
    controller.abort();
    await left;
    expect(await call).toMatchObject({ code: 'MODEL_FAILED' });
  });
});

const failed = (code: string, message: string): JsonObject & { type: string } => ({
  type: 'response.failed',
  sequence_number: 3,
  response: aResponse([], { status: 'failed', error: { code, message } }),
});
const errorEvent = (type: string, message: string): JsonObject & { type: string } => ({
  type: 'error',
  error: { type, message },
});

describe('an error within an answer', () => {
  const again = { retryable: true, reason: null };
  const noQuota = { retryable: false, reason: 'insufficient_quota' };
  const refused = { retryable: false, reason: null };

  test.each<[string, Provider, Answer, object]>([
    ['a failure before the text', 'openai', namedEvents(CREATED, failed('server_error', 'Sorry')), again],
    [
      'a failure after some text',
      'openai',
      namedEvents(CREATED, SAID, failed('rate_limit_exceeded', 'Slow down')),
      again,
    ],
    ['a quota before the text', 'openai', namedEvents(CREATED, failed('insufficient_quota', 'No money')), noQuota],
    [
      'a quota after some text',
      'openai',
      namedEvents(CREATED, SAID, failed('insufficient_quota', 'No money')),
      noQuota,
    ],
    ['a bad request', 'openai', namedEvents(CREATED, SAID, errorEvent('invalid_request_error', 'Bad')), refused],
    ['an overload before the text', 'anthropic', namedEvents(errorEvent('overloaded_error', 'Overloaded')), again],
    [
      'an overload after some text',
      'anthropic',
      namedEvents(...BEGUN, errorEvent('overloaded_error', 'Overloaded')),
      again,
    ],
    ['a limit before the text', 'anthropic', namedEvents(errorEvent('rate_limit_error', 'Slow down')), again],
    ['no permission before the text', 'anthropic', namedEvents(errorEvent('permission_error', 'No')), refused],
    [
      'an unpaid account after some text',
      'anthropic',
      namedEvents(...BEGUN, errorEvent('billing_error', 'No money')),
      noQuota,
    ],
    ['an outage', 'google', dataEvents({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }), again],
    [
      'a bad request',
      'google',
      dataEvents({ error: { code: 400, message: 'Bad', status: 'INVALID_ARGUMENT' } }),
      refused,
    ],
    [
      'a failure',
      'openai-compatible',
      dataEvents(chunk({ content: 'H' }), { error: { message: 'Out of memory' } }),
      again,
    ],
    [
      'an error code',
      'openai-compatible',
      dataEvents(chunk({ content: 'H' }), { error: { message: 'Bad', code: 400 } }),
      refused,
    ],
  ])('an error within a streamed answer fails the call: %s of %s', async (...[, provider, given, verdict]) => {
    expect(await failureIn(provider, given)).toMatchObject({ code: 'MODEL_FAILED', ...verdict });
    expect(server.requests).toHaveLength(1);
  });

  test('an error is read from a response of OpenAI that is no stream', async () => {
    server.answers(json(aResponse([], { status: 'failed', error: { code: 'server_error', message: 'Sorry' } })));
    const failure = await failureOf(askModel(server, 'openai'));
    expect(failure).toMatchObject(again);
    expect(failure.message).toBe('default answered 500: Sorry');
  });
});

test('an endless model answer is not read to its end', async () => {
  const { answer: wait, left } = silence();
  server.answers((response) => {
    wait(response);
    const more = (): void => void (response.destroyed || response.write('x'.repeat(1_000_000), more));
    more();
  });
  const failure = await failureOf(askModel(server, 'openai-compatible'));
  expect(failure).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', retryable: false });
  await left;
});
