import { afterAll, beforeAll, expect, test } from 'vitest';
import { askFor, say, toolResultsSentTo } from '../../support/builders/chat-model.ts';
import { embeddingSettings, startEmbeddingServer } from '../../support/doubles/embedding-server.ts';
import type { EmbeddingServer } from '../../support/doubles/embedding-server.ts';
import { startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { aGraphOf, startRun } from '../../support/readers/api-runs.ts';
import { anAgent } from '../../support/servers/agent-stack.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let embeddings: EmbeddingServer;
let model: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  embeddings = await startEmbeddingServer();
  model = await startLoopbackServer();
  const { memory, http } = embeddingSettings(embeddings);
  const asked = { provider: 'openai-compatible', model: 'm', baseUrl: `${model.url}/v1` } as const;
  const config = { models: { default: asked }, memory, http: { allow: [...http.allow, model.address] } };
  // The embedded database has pgvector; the shared one may not.
  stack = await startTestStack(config, { DATABASE_URL: undefined }, { embedMs: 50 });
});
afterAll(async () => {
  await stack.stop();
  await model.stop();
  await embeddings.stop();
});

test('a model with memory tools finds by meaning what an earlier run saved', async () => {
  const graph = aGraphOf(anAgent({ tools: [{ memory: 'customers', access: 'write' }] }), {
    channels: { answer: {}, given: {} },
  });
  model.answers(askFor([['memory_save', { key: 'pet', value: 'Has a dog' }]]), say('Noted'));
  const user = stack.as('user');
  expect(await startRun(user, graph, {})).toMatchObject({ status: 'completed' });
  model.answers(askFor([['memory_search', { query: 'puppy' }]]), say('A dog'));
  expect(await startRun(user, graph, {})).toMatchObject({ status: 'completed' });
  const [told = ''] = toolResultsSentTo(model);
  expect(JSON.parse(told)).toMatchObject({ entries: [{ key: 'pet', value: 'Has a dog' }] });
  expect((await user.get('/api/memory/customers?query=puppy')).body).toMatchObject({ items: [{ key: 'pet' }] });
});

test('a stack with an embedding model passes its readiness check', async () => {
  expect(await stack.stranger.get('/readyz')).toMatchObject({ status: 200 });
});
