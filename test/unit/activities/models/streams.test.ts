import { describe, expect, test } from 'vitest';
import { createGenerate } from '../../../../src/activities/models/generate.ts';
import { createGuardedFetch } from '../../../../src/network/guarded-request.ts';
import { aModelContext, aModelQuestion } from '../../../support/builders/call-builders.ts';
import { REPLIES, STREAMS } from '../../../support/builders/provider-replies.ts';
import { PROVIDERS, askModel, dataEvents, failureOf } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

describe.each(PROVIDERS)('a stream of %s', (provider) => {
  test('a model’s streamed text is emitted piece by piece', async () => {
    server.answers(STREAMS[provider].text);
    const said: string[] = [];
    const { text } = await askModel(server, provider, { stream: true, emit: (piece) => said.push(piece) });
    expect(said.join('')).toBe(text);
    expect(text).not.toBe('');
  });

  test('an answer that a server sends as a whole instead of a stream needs no second request', async () => {
    server.answers(REPLIES[provider].text);
    const reply = await askModel(server, provider, { stream: true });
    expect(server.requests).toHaveLength(1);
    server.answers(REPLIES[provider].text);
    expect(reply).toEqual(await askModel(server, provider, { stream: false }));
  });

  test('a stream that a server sends although none was requested needs no second request', async () => {
    server.answers(STREAMS[provider].calls);
    const reply = await askModel(server, provider, { stream: false });
    expect(server.requests).toHaveLength(1);
    server.answers(STREAMS[provider].calls);
    expect(reply).toEqual(await askModel(server, provider, { stream: true }));
  });

  test('a stream request that is refused for a reason other than streaming is not repeated', async () => {
    server.answers(json({ error: { message: 'No such model' } }, 400));
    expect(await failureOf(askModel(server, provider, { stream: true }))).toMatchObject({ retryable: false });
    expect(server.requests).toHaveLength(1);
  });
});

test('a server whose streams lack the usage gets requests without streams from then on', async () => {
  const generate = createGenerate(
    { provider: 'openai-compatible', model: 'm', baseUrl: `${server.url}/v1`, stream: true },
    { fetch: createGuardedFetch([server.address]), secrets: async () => '' },
  );
  const chunk = {
    id: 'c1',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }],
  };
  server.answers(dataEvents(chunk), REPLIES['openai-compatible'].text);
  expect(await generate(aModelQuestion(), aModelContext())).toMatchObject({ text: 'Hi', usage: { inputTokens: 0 } });
  expect(await generate(aModelQuestion(), aModelContext())).toMatchObject({ usage: { inputTokens: 12 } });
  expect(server.requests.map(({ body }) => body.includes('"stream":true'))).toEqual([true, false]);
});

test('a server that refuses streams gets requests without streams from then on', async () => {
  const generate = createGenerate(
    { provider: 'openai-compatible', model: 'm', baseUrl: `${server.url}/v1`, stream: true },
    { fetch: createGuardedFetch([server.address]), secrets: async () => '' },
  );
  server.answers(json({ error: { message: 'Unknown field: stream_options' } }, 422), REPLIES['openai-compatible'].text);
  const reply = await generate(aModelQuestion(), aModelContext());
  server.answers(REPLIES['openai-compatible'].text);
  expect(await generate(aModelQuestion(), aModelContext())).toEqual(reply);
  expect(server.requests.map(({ body }) => body.includes('"stream":true'))).toEqual([true, false, false]);
});
