import { DefaultChatTransport } from 'ai';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { JournalBatch } from '../../../../src/graph/journal/batch.ts';
import type { RunEventBody } from '../../../../src/graph/journal/events.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import type { ApiAnswer } from '../../../support/readers/api-client.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { AT, aBatch, aDelta, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { ChatClient } from '../../../support/readers/chat-client.ts';
import { listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ models: { default: { provider: 'openai', model: 'm' } } });
  const chat = aChat('helper', { messages: { reducer: 'messages' } });
  const quiet = aChat('quiet', { messages: { reducer: 'messages', redact: true } });
  const echo = { ...aChat('echo', { question: TEXT, answer: TEXT }), nodes: { n: aSet({ answer: 'x' }) } };
  const deaf = { ...aChat('deaf', { count: {} }), nodes: { n: aSet({ count: 1 }) } };
  for (const graph of [chat, quiet, echo, deaf]) await api.as('user').post('/api/graphs', graph);
});
afterAll(async () => {
  await api.stop();
});

const TEXT = { schema: { type: 'string' } };
const aSet = (write: Readonly<Record<string, string | number>>) => ({ type: 'set', write }) as const;

function aChat(name: string, channels: NonNullable<GraphDefinition['channels']>): GraphDefinition {
  const nodes = { n: { type: 'llm', messages: 'messages' } } as const;
  return aDefinition({ name, channels, nodes, edges: [{ from: '__start__', to: 'n' }] });
}

const aMessage = (id: string, text = 'Hi') => ({ id, role: 'user', parts: [{ type: 'text', text }] });

/** A message with a file. */
const aFile = (file: JsonObject) => ({
  id: 'm',
  role: 'user',
  parts: [
    { type: 'text', text: 'Hi' },
    { type: 'file', ...file },
  ],
});

/** Sends a message, and disconnects without reading the answer. */
async function say(body: object, { graph = 'helper', caller = 'user' as const, key = '' } = {}): Promise<Response> {
  const response = await api.request(`/api/chat/${graph}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.tokens[caller]}`,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  if (response.ok) await response.body?.cancel();
  return response;
}

const refused = async (path: string, body: object, caller: 'user' | 'approver' | 'otherTenantUser' = 'user') =>
  await api.as(caller).post(path, body);

async function runsOf(threadId: string): Promise<ApiAnswer['body'][]> {
  return [...listAt((await api.as('user').get(`/api/runs?threadId=${threadId}`)).body, '/items')];
}

async function runIdOf(threadId: string): Promise<string> {
  return await expect
    .poll(async () => (await runsOf(threadId)).length)
    .toBe(1)
    .then(async () => textAt((await runsOf(threadId))[0] ?? null, '/id'));
}

/** Writes an event of a run, as its workflow would. */
async function happen(
  runId: string,
  events: readonly RunEventBody[],
  view: Partial<JournalBatch['view']> = {},
): Promise<void> {
  const after = (await api.store.runs.find(runId))?.lastSeq ?? 0;
  const numbered = events.map((event, at) => ({ ...event, seq: after + 1 + at, at: AT, step: 0 }));
  await writeTo(api.store, { id: runId, tenantId: 'demo' }, aBatch([], { events: numbered, view: aView(view) }));
}

/** Records the answer to a model call. @param last the id of the last message that the model received */
async function record(
  runId: string,
  key: string,
  { result, last }: { readonly result: JsonObject; readonly last: string },
): Promise<void> {
  const request = { messages: [{ id: 'm0' }, { id: last }] };
  const place = { key, tenantId: 'demo', runId, node: 'n', called: 'model:default', requestHash: 'x', request };
  await api.store.ledger.settle(
    { ...place, takeover: 0, claim: 'c', scheduledAt: 1, journal: null, at: AT },
    { status: 'completed', result },
    ({ failures }) => ({ isGranted: true, failures }),
  );
}

const STARTED: readonly RunEventBody[] = [
  { type: 'run.started', graph: {}, by: 'ann' },
  { type: 'step.started', nodes: ['n'] },
];
const answered = (content: string): RunEventBody => ({
  type: 'node.completed',
  node: 'n',
  visit: 1,
  update: { messages: [{ id: 'm', role: 'assistant', content }] },
});
const COMPLETED: RunEventBody = { type: 'run.completed', output: {} };
const END = { status: 'completed', endedAt: AT } as const;

function open(id: string, graph = 'helper', caller: 'user' | 'otherTenantUser' | 'admin' = 'user'): ChatClient {
  const transport = new DefaultChatTransport({
    api: `http://127.0.0.1/api/chat/${graph}`,
    headers: { authorization: `Bearer ${api.tokens[caller]}` },
    fetch: async (url, init) => await api.request(new Request(url).url, init),
  });
  return new ChatClient({ id, transport });
}

/** Resumes the stream of a thread whose run has begun. */
async function resume(id: string, graph = 'helper', caller: 'user' | 'admin' = 'user') {
  const runId = await runIdOf(id);
  await happen(runId, STARTED);
  const chat = open(id, graph, caller);
  const resumed = chat.resumeStream();
  await expect.poll(() => chat.messages.at(-1)?.parts).toEqual([{ type: 'step-start' }]);
  return { chat, runId, resumed };
}

describe('a chat message', () => {
  test('a chat message starts a run on the thread, with the message as its input', async () => {
    const response = await say({ id: 'T-1', messages: [aMessage('old'), aMessage('m1', 'Hello')] });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await runsOf('T-1')).toMatchObject([
      { input: { messages: [{ id: 'm1', role: 'user', content: 'Hello' }] }, graph: { name: 'helper', version: 1 } },
    ]);
  });

  test('a chat message fills the text channel of a graph without messages, besides further input', async () => {
    await say({ id: 'T-text', messages: [aMessage('m1', 'Hello')], input: { answer: '?' } }, { graph: 'echo@1' });
    expect(await runsOf('T-text')).toMatchObject([{ input: { question: 'Hello', answer: '?' } }]);
  });

  test('a chat message with files becomes an input of parts, and requires a graph with messages', async () => {
    const mediaType = 'application/pdf';
    const files = [
      aFile({ mediaType, url: '/api/blobs/B1', filename: 'a.pdf' }),
      aFile({ mediaType, url: 'https://a.example/b' }),
    ];
    for (const [at, message] of files.entries()) await say({ id: `T-file-${at}`, messages: [message] });
    expect([...(await runsOf('T-file-0')), ...(await runsOf('T-file-1'))]).toMatchObject([
      { input: { messages: [{ content: [{ text: 'Hi' }, { type: 'file', mediaType, blob: 'B1', name: 'a.pdf' }] }] } },
      { input: { messages: [{ content: [{ text: 'Hi' }, { type: 'file', mediaType, url: 'https://a.example/b' }] }] } },
    ]);
    const texts = await refused('/api/chat/echo', { id: 'T-file', messages: [files[0]] });
    expect(texts).toMatchObject(aProblem(422, 'INVALID_INPUT'));
  });

  test('a repeated chat message finds its run', async () => {
    const body = { id: 'T-again', messages: [aMessage('m1')] };
    expect([(await say(body)).status, (await say(body)).status]).toEqual([200, 200]);
    expect(await runsOf('T-again')).toHaveLength(1);
  });

  test('a chat message with the same id or key as another one, but with different content, is refused', async () => {
    await say({ id: 'T-other', messages: [aMessage('m1')] });
    const body = { id: 'T-other', messages: [aMessage('m1', 'Bye')] };
    expect(await refused('/api/chat/helper', body)).toMatchObject(aProblem(422, 'IDEMPOTENCY_KEY_REUSED'));
    await say({ id: 'T-key', messages: [aMessage('m1')] }, { key: 'k' });
    expect((await say({ id: 'T-key', messages: [aMessage('m2')] }, { key: 'k' })).status).toBe(422);
  });

  test('a chat message that was refused may be sent again', async () => {
    await say({ id: 'T-busy', messages: [aMessage('m1')] });
    const body = { id: 'T-busy', messages: [aMessage('m2')] };
    expect(await refused('/api/chat/helper', body)).toMatchObject(aProblem(409, 'THREAD_BUSY'));
    await happen(await runIdOf('T-busy'), [...STARTED, COMPLETED], END);
    expect((await say(body)).status).toBe(200);
  });

  test.each([
    ['no text', [{ id: 'm', role: 'user', parts: [] }], '/messages/0'],
    ['a tool', [aMessage('o'), { id: 'm', role: 'user', parts: [{ type: 'tool-x' }] }], '/messages/1/parts/0'],
    ['a file without a media type', [aFile({ url: 'https://a.example/b' })], '/messages/0/parts/1'],
    [
      'a file as a data URL',
      [aFile({ mediaType: 'image/png', url: 'data:image/png;base64,AAAA' })],
      '/messages/0/parts/1',
    ],
    ['an answer without decisions', [{ id: 'm', role: 'assistant', parts: [] }], '/messages/0'],
    ['no message', [], '/messages'],
    ['a part that is no object', [{ id: 'm', role: 'user', parts: ['Hi'] }], '/messages/0/parts/0'],
  ])('a chat message with %s is invalid', async (_what, messages, path) => {
    const answer = await refused('/api/chat/helper', { id: 'T-bad', messages });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual([path]);
  });

  test("a chat message requires a graph of the caller's tenant with an input channel, and the permission to start runs", async () => {
    const body = { id: 'T-x', messages: [aMessage('m')] };
    expect(await refused('/api/chat/deaf', body)).toMatchObject(aProblem(422, 'INVALID_INPUT'));
    expect(await refused('/api/chat/none', body)).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    expect(await refused('/api/chat/helper', body, 'otherTenantUser')).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    expect(await refused('/api/chat/helper', body, 'approver')).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });
});

describe('the stream of a thread', () => {
  test('a chat thread without an active run has no stream, and neither have threads of other tenants', async () => {
    await say({ id: 'T-mine', messages: [aMessage('m')] });
    expect((await api.as('user').get('/api/chat/T-none/stream')).status).toBe(204);
    expect((await api.as('otherTenantUser').get('/api/chat/T-mine/stream')).status).toBe(204);
    await happen(await runIdOf('T-mine'), [...STARTED, COMPLETED], END);
    expect((await api.as('user').get('/api/chat/T-mine/stream')).status).toBe(204);
  });

  test('the stream of a chat thread starts at the beginning, and continues while models answer', async () => {
    await say({ id: 'T-live', messages: [aMessage('m')] });
    const { chat, runId, resumed } = await resume('T-live');
    const delta = aDelta({ node: 'n', callKey: `${runId}:n:1:0:0` });
    await api.store.deltas.publish(runId, [{ ...delta, text: 'Hel' }]);
    await expect.poll(() => chat.lastParts).toEqual([{ type: 'text', text: 'Hel', state: 'streaming' }]);
    await happen(runId, [answered('Hello'), COMPLETED], END);
    await resumed;
    expect([chat.errors, chat.lastParts]).toEqual([[], [{ type: 'text', text: 'Hello', state: 'done' }]]);
    expect(chat.messages).toMatchObject([{ id: runId, role: 'assistant', metadata: { runId, seq: 4 } }]);
  });

  test('the stream of a chat thread contains recorded answers of models after a reload, without internal summaries', async () => {
    await say({ id: 'T-said', messages: [aMessage('m')] });
    const runId = await runIdOf('T-said');
    const keyOf = (number: number): string => `${runId}:n:1:${number}:0`;
    // The first call was not made, because its messages did not fit.
    await record(runId, keyOf(0), { result: { kind: 'overflow', messages: 1 }, last: 'm' });
    await record(runId, keyOf(1), { result: { kind: 'model', text: 'A summary' }, last: 'summarize-0' });
    await record(runId, keyOf(2), { result: { kind: 'model', text: 'I will pay.' }, last: 'm' });
    const called = { type: 'model.called', node: 'n', visit: 1, model: 'm', attempts: 1, durationMs: 1 } as const;
    const models = [1, 2].map((number) => ({ ...called, idempotencyKey: keyOf(number) }));
    const paying = { node: 'n', visit: 1, tool: 'pay', idempotencyKey: 'C' } as const;
    await happen(runId, [...STARTED, ...models, { ...paying, type: 'tool.requested', args: {} }]);
    const chat = open('T-said');
    const resumed = chat.resumeStream();
    await expect.poll(() => chat.lastParts).toMatchObject([{ text: 'I will pay.' }, { toolName: 'pay' }]);
    await happen(runId, [COMPLETED], END);
    await resumed;
  });

  test('the stream of a chat thread reports a failed run as an error', async () => {
    await say({ id: 'T-fails', messages: [aMessage('m')] });
    const { chat, runId, resumed } = await resume('T-fails');
    const error = { code: 'TIMEOUT', message: 'Too slow' } as const;
    await happen(runId, [{ type: 'run.failed', error }], { status: 'failed', endedAt: AT, error });
    await resumed;
    expect(chat.errors.map(({ message }) => message)).toEqual(['TIMEOUT: Too slow']);
  });

  test.each([
    ['user', '[redacted]'],
    ['admin', 'Secret'],
  ] as const)('the stream of a chat thread sends to the role %s for hidden texts: %s', async (caller, text) => {
    const id = `T-hidden-${caller}`;
    await say({ id, messages: [aMessage('m')] }, { graph: 'quiet' });
    const { chat, runId, resumed } = await resume(id, 'quiet', caller);
    await api.store.deltas.publish(runId, [aDelta({ node: 'n', callKey: `${runId}:n:1:0:0`, text: 'Secret' })]);
    await happen(runId, [answered('Secret'), COMPLETED], END);
    await resumed;
    expect(chat.lastParts).toEqual([{ type: 'text', text, state: 'done' }]);
  });

  test.each([
    ['user', false],
    ['admin', true],
  ] as const)(
    'the stream of a chat thread hides from %s what was found to be hidden after the stream began, unless %s',
    async (caller, isShown) => {
      const id = `T-inherits-${caller}`;
      await say({ id, messages: [aMessage('m')] });
      const runId = await runIdOf(id);
      const headers = { authorization: `Bearer ${api.tokens[caller]}` };
      const following = await api.request(`/api/chat/${id}/stream`, { headers });
      const nodes = { n: { result: true as const } };
      await api.store.runs.setRedaction(runId, { ...NOTHING_REDACTED, channels: ['messages'], nodes });
      await api.store.deltas.publish(runId, [aDelta({ node: 'n', callKey: `${runId}:n:1:0:0`, text: 'Secret' })]);
      await happen(runId, [...STARTED, answered('Secret'), COMPLETED], END);
      expect((await following.text()).includes('Secret')).toBe(isShown);
    },
  );

  test('the stream of a chat thread ends at pending approvals, unless it is requested to continue', async () => {
    await say({ id: 'T-asks', messages: [aMessage('m')] });
    const runId = await runIdOf('T-asks');
    const { task: _task, requesters: _requesters, asked: _asked, ...approval } = anApproval(runId, 'pending');
    const asked: RunEventBody = { type: 'approval.requested', node: 'n', visit: 1, approval };
    await happen(runId, [...STARTED, asked], { status: 'waiting' });
    const chat = open('T-asks');
    await chat.resumeStream();
    expect(chat.lastParts).toMatchObject([{ toolName: 'approval', state: 'approval-requested' }]);
    const headers = { authorization: `Bearer ${api.tokens.user}` };
    const following = await api.request('/api/chat/T-asks/stream?until=end', { headers });
    await happen(runId, [COMPLETED], END);
    expect(await following.text()).toContain('"finishReason":"stop"');
  });
});

test('a tenant has a limited number of chat streams, and a disconnected one frees a slot', async () => {
  const narrow = await startTestApi({ waits: { perTenant: 1 } });
  onTestFinished(() => narrow.stop());
  await narrow.as('user').post('/api/graphs', { ...aChat('echo', { q: TEXT }), nodes: { n: aSet({ q: 'x' }) } });
  const begin = async (id: string): Promise<Response> =>
    await narrow.request('/api/chat/echo', {
      method: 'POST',
      headers: { authorization: `Bearer ${narrow.tokens.user}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id, messages: [aMessage(id)] }),
    });
  const first = await begin('S-1');
  expect([first.status, (await begin('S-2')).status]).toEqual([200, 429]);
  await first.body?.cancel();
  const next = await begin('S-3');
  expect(next.status).toBe(200);
  await next.body?.cancel();
});

describe('a decision in a chat', () => {
  const deciding = (id: string, approvalId: string) => ({
    id,
    messages: [
      {
        id: 'a',
        role: 'assistant',
        parts: [
          {
            type: 'dynamic-tool',
            toolName: 'pay',
            toolCallId: 'c',
            state: 'approval-responded',
            input: { faked: true },
            approval: { id: approvalId, approved: true },
          },
        ],
      },
    ],
  });

  test('a decision in a chat requires an approval of the thread and the permission to decide', async () => {
    await say({ id: 'T-decide', messages: [aMessage('m')] });
    const runId = await runIdOf('T-decide');
    const approvals = [anApproval(runId, 'pending')];
    const batch = aBatch([1], { approvals, view: aView({ status: 'waiting' }) });
    await writeTo(api.store, { id: runId, tenantId: 'demo' }, batch);
    const unknown = aProblem(404, 'UNKNOWN_APPROVAL');
    expect(await refused('/api/chat/helper', deciding('T-decide', 'none'), 'approver')).toMatchObject(unknown);
    expect(await refused('/api/chat/helper', deciding('T-else', `${runId}.a1`), 'approver')).toMatchObject(unknown);
    expect(await refused('/api/chat/helper', deciding('T-decide', `${runId}.a1`))).toMatchObject(
      aProblem(403, 'FORBIDDEN'),
    );
    // The decision reaches the engine, which is unavailable here.
    expect(await refused('/api/chat/helper', deciding('T-decide', `${runId}.a1`), 'approver')).toMatchObject(
      aProblem(503, 'UNAVAILABLE'),
    );
  });
});
