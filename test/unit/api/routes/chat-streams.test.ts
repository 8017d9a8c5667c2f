import { expect, onTestFinished, test } from 'vitest';
import { permissionsOf } from '../../../../src/graph/definition/roles.ts';
import type { RunEventBody } from '../../../../src/graph/journal/events.ts';
import { openAbort } from '../../../../src/process/listen.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { AT, aBatch, aNewRun, aView, writeTo } from '../../../support/builders/store-builders.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';

/*
 * A chat stream releases its resources however its reader behaves. The tenant may have one stream at a time, so a
 * second stream proves that the first one was released.
 */

const STREAM = '/api/chat/T/stream';
const READER = { tenantId: 'demo', sub: 'u', roles: [], permissions: permissionsOf(['user']) };
/** More data than the buffers of a reader hold. */
const LONG = 'x'.repeat(1_000_000);

/** An API with the active run `R` of the thread `T`, which answers with a text. */
async function openChat(answer: string, { tokenMs = 3_600_000, stallMs = 60_000 } = {}) {
  const shutdown = openAbort();
  const authenticate = async (authorization?: string) => {
    const expiresAtMs = Date.now() + (authorization === 'Bearer long' ? 3_600_000 : tokenMs);
    return { ...READER, expiresAtMs };
  };
  const over = { shuttingDown: shutdown.signal, streaming: { stallMs }, authenticate };
  const api = await startTestApi(
    { models: { default: { provider: 'openai', model: 'm' } }, waits: { perTenant: 1 } },
    over,
  );
  onTestFinished(() => api.stop());
  const graph = aDefinition({
    name: 'helper',
    channels: { messages: { reducer: 'messages' } },
    nodes: { n: { type: 'llm', messages: 'messages' } },
    edges: [{ from: '__start__', to: 'n' }],
  });
  const { body } = await api.as('user').post('/api/graphs', graph);
  const named = { name: 'helper', version: 1, hash: textAt(body, '/hash') };
  await api.store.runs.create(aNewRun({ id: 'R', tenantId: 'demo', threadId: 'T', graph: named }));
  const happened: readonly RunEventBody[] = [
    { type: 'run.started', graph: {}, by: 'ann' },
    { type: 'step.started', nodes: ['n'] },
    {
      type: 'node.completed',
      node: 'n',
      visit: 1,
      update: { messages: [{ id: 'm', role: 'assistant', content: answer }] },
    },
  ];
  const events = happened.map((event, index) => ({ ...event, seq: index + 1, at: AT, step: 0 }));
  await writeTo(api.store, { id: 'R', tenantId: 'demo' }, aBatch([], { events, view: aView() }));
  const ask = async (method: 'GET' | 'HEAD', { path = STREAM, token = 'short' } = {}): Promise<Response> => {
    const response = await api.request(path, { method, headers: { authorization: `Bearer ${token}` } });
    onTestFinished(async () => await response.body?.cancel().catch(() => undefined));
    return response;
  };
  /** Polls until another reader's stream can begin. */
  const isFree = async () => await expect.poll(async () => (await ask('GET', { token: 'long' })).status).toBe(200);
  return { ask, isFree, shutdown };
}

test.each([STREAM, '/api/chat/helper/T/stream'])(
  'HEAD %s is answered like GET, and takes no stream slot',
  async (path) => {
    const { ask, isFree } = await openChat('Hi');
    for (let asked = 0; asked < 3; asked += 1) {
      const { status, headers, body } = await ask('HEAD', { path });
      expect([status, headers.get('x-vercel-ai-ui-message-stream'), body]).toEqual([200, 'v1', null]);
    }
    expect((await ask('HEAD', { path: path.replace('/T/', '/other/') })).status).toBe(204);
    await isFree();
  },
);

test('a stream that nobody reads ends when the token expires', async () => {
  const { ask, isFree } = await openChat('Hi', { tokenMs: 300 });
  expect((await ask('GET')).status).toBe(200);
  await isFree();
});

test.each(['Hi', LONG])('a stream whose reader stops reading ends when the token expires', async (answer) => {
  const { ask, isFree } = await openChat(answer, { tokenMs: 300 });
  const { status, body } = await ask('GET');
  expect(status).toBe(200);
  await body?.getReader().read();
  await isFree();
});

test('a stream whose reader stalls ends when the process shuts down', async () => {
  const { ask, isFree, shutdown } = await openChat(LONG);
  await (await ask('GET')).body?.getReader().read();
  expect((await ask('GET')).status).toBe(429);
  shutdown.abort();
  await isFree();
});

test('a stream reader that receives nothing for too long is disconnected', async () => {
  const { ask, isFree } = await openChat(LONG, { stallMs: 200 });
  const stream = await ask('GET');
  await isFree();
  await expect(stream.text()).rejects.toThrow('can be resumed');
});
