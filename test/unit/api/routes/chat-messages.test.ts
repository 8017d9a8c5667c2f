import { DefaultChatTransport, validateUIMessages } from 'ai';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RunEventBody } from '../../../../src/graph/journal/events.ts';
import type { JsonObject } from '../../../../src/graph/values/json.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { createClient } from '../../../../src/client/create-client.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { AT, aBatch, aNewRun, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { ChatClient } from '../../../support/readers/chat-client.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const TEXT = { schema: { type: 'string' } };
let api: TestApi;
const hashes = new Map<string, string>();
beforeAll(async () => {
  api = await startTestApi({ models: { default: { provider: 'openai', model: 'm' } } });
  const talking = {
    nodes: { n: { type: 'llm', messages: 'messages' } },
    edges: [{ from: '__start__', to: 'n' }],
  } as const;
  const echo = {
    nodes: { n: { type: 'set', write: { answer: 'x' } } },
    edges: [{ from: '__start__', to: 'n' }],
  } as const;
  const graphs = [
    aDefinition({ name: 'helper', channels: { messages: { reducer: 'messages' } }, ...talking }),
    aDefinition({ name: 'echo', channels: { question: TEXT, answer: TEXT }, ...echo }),
  ];
  for (const graph of graphs) {
    const { body } = await api.as('user').post('/api/graphs', graph);
    hashes.set(graph.name, textAt(body, '/hash'));
  }
});
afterAll(async () => {
  await api.stop();
});

const STARTED: readonly RunEventBody[] = [
  { type: 'run.started', graph: {}, by: 'ann' },
  { type: 'step.started', nodes: ['n'] },
];
const COMPLETED: RunEventBody = { type: 'run.completed', output: {} };
const answered = (content: string): RunEventBody => ({
  type: 'node.completed',
  node: 'n',
  visit: 1,
  update: { messages: [{ id: 'a', role: 'assistant', content }] },
});

interface PlayedRun {
  readonly thread: string;
  readonly id: string;
  readonly input?: JsonObject;
  readonly events?: readonly RunEventBody[];
  readonly status?: 'completed' | 'waiting' | 'running' | 'failed';
  readonly graph?: string;
  readonly tenantId?: string;
}

const said = (id: string, content: string): JsonObject => ({ messages: [{ id, role: 'user', content }] });

/** Stores a run of a thread with its events; the ids of runs are in their order. */
async function play({
  thread,
  id,
  input = said(`m-${id}`, 'Hi'),
  events = [...STARTED, answered(`Answer ${id}`), COMPLETED],
  status = 'completed',
  graph = 'helper',
  tenantId = 'demo',
}: PlayedRun): Promise<void> {
  const named = { name: graph, version: 1, hash: hashes.get(graph) ?? '' };
  await api.store.runs.create(aNewRun({ id, tenantId, threadId: thread, graph: named, input }));
  const numbered = events.map((event, index) => ({ ...event, seq: index + 1, at: AT, step: 0 }));
  const endedAt = status === 'completed' || status === 'failed' ? AT : null;
  if (numbered.length > 0)
    await writeTo(api.store, { id, tenantId }, aBatch([], { events: numbered, view: aView({ status, endedAt }) }));
}

const read = async (thread: string, query = '', caller: 'user' | 'admin' | 'otherTenantUser' = 'user') =>
  await api.as(caller).get(`/api/chat/${thread}/messages${query}`);

/** Texts of the messages, by their ids. */
const textsOf = (messages: unknown): unknown =>
  Array.isArray(messages) &&
  messages.map((message: { id: string; parts: { text?: string }[] }) => [
    message.id,
    message.parts.flatMap(({ text = [] }) => text).join(''),
  ]);

function open(id: string, messages: readonly unknown[] = []): ChatClient {
  const transport = new DefaultChatTransport({
    api: 'http://127.0.0.1/api/chat/helper',
    headers: { authorization: `Bearer ${api.tokens.user}` },
    fetch: async (url, init) => await api.request(new Request(url).url, init),
  });
  return new ChatClient({ id, transport, messages: JSON.parse(JSON.stringify(messages)) });
}

describe('the messages of a chat', () => {
  test('the messages of a chat are those of its runs, in their order, with the ids that were sent and streamed', async () => {
    await play({ thread: 'T-1', id: 'R1-1' });
    await play({ thread: 'T-1', id: 'R1-2' });
    const { status, body } = await read('T-1');
    expect([status, textsOf(body)]).toEqual([
      200,
      [
        ['m-R1-1', 'Hi'],
        ['R1-1', 'Answer R1-1'],
        ['m-R1-2', 'Hi'],
        ['R1-2', 'Answer R1-2'],
      ],
    ]);
    expect(body).toMatchObject([
      { role: 'user', metadata: { runId: 'R1-1' } },
      { role: 'assistant', metadata: { runId: 'R1-1', seq: 4, status: 'completed' } },
      {},
      {},
    ]);
    await expect(validateUIMessages({ messages: body })).resolves.toHaveLength(4);
  });

  test('after a reload, useChat shows earlier messages and the pending approval once, with and without its stream', async () => {
    const { task: _task, requesters: _requesters, asked: _asked, ...approval } = anApproval('R2-2', 'pending');
    const asked: RunEventBody = { type: 'approval.requested', node: 'n', visit: 1, approval };
    await play({ thread: 'T-2', id: 'R2-1' });
    await play({ thread: 'T-2', id: 'R2-2', events: [...STARTED, asked], status: 'waiting' });
    const { body } = await read('T-2');
    const chat = open('T-2', Array.isArray(body) ? body : []);
    const before = structuredClone(chat.messages);
    expect(chat.lastParts).toMatchObject([{ state: 'approval-requested', approval: { id: approval.id } }]);
    await chat.resumeStream();
    expect([chat.errors, chat.messages.map(({ id }) => id)]).toEqual([[], before.map(({ id }) => id)]);
    expect(chat.messages.map(({ parts }) => parts)).toEqual(before.map(({ parts }) => parts));
  });

  test('the answer of an active run is read as far as it is', async () => {
    const paying = { node: 'n', visit: 1, tool: 'pay', idempotencyKey: 'C', args: {} } as const;
    await play({
      thread: 'T-3',
      id: 'R3',
      events: [...STARTED, { ...paying, type: 'tool.requested' }],
      status: 'running',
    });
    expect((await read('T-3')).body).toMatchObject([
      {},
      { metadata: { seq: 3, status: 'running' }, parts: [{}, { toolName: 'pay', state: 'input-available' }] },
    ]);
  });

  test('the answer of a failed run says why it ended', async () => {
    const failed: RunEventBody = { type: 'run.failed', error: { code: 'TIMEOUT', message: 'Too slow' } };
    await play({ thread: 'T-4', id: 'R4', events: [...STARTED, failed], status: 'failed' });
    expect((await read('T-4')).body).toMatchObject([
      {},
      { metadata: { status: 'failed', error: 'TIMEOUT: Too slow' }, parts: [{ type: 'step-start' }] },
    ]);
  });

  test('a message has no answer before its run begins', async () => {
    await play({ thread: 'T-5', id: 'R5', events: [], status: 'running' });
    expect(textsOf((await read('T-5')).body)).toEqual([['m-R5', 'Hi']]);
  });

  test.each<[string, PlayedRun['input'], string | undefined, readonly unknown[]]>([
    [
      'a text',
      { question: 'Who?' },
      'echo',
      [{ id: 'R6-input-0', role: 'user', parts: [{ type: 'text', text: 'Who?' }] }],
    ],
    [
      'files',
      {
        messages: [
          {
            id: 'f',
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'file', mediaType: 'application/pdf', blob: 'B 1', name: 'a.pdf' },
              { type: 'image', mediaType: 'image/png', url: 'https://a.example/b' },
            ],
          },
        ],
      },
      'helper',
      [
        {
          id: 'f',
          parts: [
            { type: 'text', text: 'See' },
            { type: 'file', mediaType: 'application/pdf', url: '/api/blobs/B%201', filename: 'a.pdf' },
            { type: 'file', mediaType: 'image/png', url: 'https://a.example/b' },
          ],
        },
      ],
    ],
    [
      'messages of other roles, and what is no message',
      {
        messages: [
          { role: 'system', content: 'Be kind' },
          { role: 'assistant', content: 'Hello' },
          { role: 'tool', content: '1', toolCallId: 'c' },
          { remove: 'x' },
        ],
      },
      'helper',
      [
        { id: 'R6-input-0', role: 'system' },
        { id: 'R6-input-1', role: 'assistant' },
      ],
    ],
    ['nothing', {}, 'helper', []],
  ])('the input of a run becomes messages: %s', async (what, input = {}, graph = 'helper', expected) => {
    const [thread, id] = [`T-6-${what}`, 'R6'];
    await play({ thread, id: `${id}-${what}`, input, graph, events: [] });
    const { body } = await read(encodeURIComponent(thread));
    const plain: unknown = JSON.parse(JSON.stringify(body).replaceAll(`R6-${what}`, 'R6'));
    expect(plain).toHaveLength(expected.length);
    expect(plain).toMatchObject(expected);
  });

  test('a message with the id of an earlier one replaces it in its place', async () => {
    await play({ thread: 'T-7', id: 'R7-1', input: said('same', 'One') });
    await play({ thread: 'T-7', id: 'R7-2', input: said('same', 'Two') });
    expect(textsOf((await read('T-7')).body)).toEqual([
      ['same', 'Two'],
      ['R7-1', 'Answer R7-1'],
      ['R7-2', 'Answer R7-2'],
    ]);
  });
});

describe('reading the messages of a chat', () => {
  test('a long conversation is read from its end, run by run', async () => {
    for (const id of ['R8-1', 'R8-2', 'R8-3']) await play({ thread: 'T-8', id });
    const client = createClient({
      baseUrl: 'http://127.0.0.1',
      token: api.tokens.user,
      fetch: async (url, init) => await api.request(url, init),
    });
    const newest = await client.threads.messages('T-8', { limit: 3 });
    expect(newest.map(({ id }) => id)).toEqual(['m-R8-2', 'R8-2', 'm-R8-3', 'R8-3']);
    const before = newest[0]?.metadata?.runId;
    const oldest = await client.threads.messages('T-8', { limit: 3, before });
    expect(oldest.map(({ id }) => id)).toEqual(['m-R8-1', 'R8-1']);
    expect(await client.threads.messages('T-8', { before: oldest[0]?.metadata?.runId })).toEqual([]);
  });

  test.each(['?before=none', '?before=R9-other'])(
    'the messages of a chat can not be read with %s, which is no run of the thread',
    async (query) => {
      await play({ thread: `T-9${query}`, id: `R9${query}` });
      await play({ thread: `T-9-other${query}`, id: 'R9-other' });
      const answer = await read(encodeURIComponent(`T-9${query}`), query);
      expect(answer).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
    },
  );

  test.each([
    ['?limit=0', '/limit'],
    ['?limit=201', '/limit'],
    ['?cursor=x', '/cursor'],
  ])('the messages of a chat can not be read with %s', async (query, path) => {
    await play({ thread: `T-9${query}`, id: `R9${query}` });
    const answer = await read(encodeURIComponent(`T-9${query}`), query);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual([path]);
  });

  test('who has the messages of a chat is told that they are unchanged', async () => {
    await play({ thread: 'T-10', id: 'R10', events: STARTED, status: 'running' });
    const ask = async (tag?: string): Promise<Response> =>
      await api.request('/api/chat/T-10/messages', {
        headers: { authorization: `Bearer ${api.tokens.user}`, ...(tag !== undefined && { 'if-none-match': tag }) },
      });
    const first = await ask();
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"\S+"$/);
    const same = await ask(tag);
    expect([same.status, await same.text(), same.headers.get('x-request-id')]).toEqual([304, '', expect.any(String)]);
    const more = { ...answered('Hello'), seq: 3, at: AT, step: 0 };
    await writeTo(api.store, { id: 'R10', tenantId: 'demo' }, aBatch([], { events: [more], view: aView() }));
    expect((await ask(tag)).status).toBe(200);
  });

  test('the messages of a chat are hidden from callers who may not see its channel', async () => {
    await play({ thread: 'T-11', id: 'R11' });
    await api.store.runs.setRedaction('R11', {
      ...NOTHING_REDACTED,
      channels: ['messages'],
      nodes: { n: { result: true as const } },
    });
    const hidden = await read('T-11');
    expect(textsOf(hidden.body)).toEqual([
      ['R11-input-0', '[redacted]'],
      ['R11', '[redacted]'],
    ]);
    expect(textsOf((await read('T-11', '', 'admin')).body)).toEqual([
      ['m-R11', 'Hi'],
      ['R11', 'Answer R11'],
    ]);
  });

  test('a chat has no messages for other tenants, and an unknown one has none', async () => {
    await play({ thread: 'T-12', id: 'R12' });
    expect((await read('T-12', '', 'otherTenantUser')).body).toEqual([]);
    expect((await read('T-none')).body).toEqual([]);
    const answer = await read('T-none', '?before=R12', 'otherTenantUser');
    expect(answer).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });

  test('a tenant may read few conversations at once', async () => {
    const narrow = await startTestApi({});
    onTestFinished(() => narrow.stop());
    const { runs } = narrow.store;
    const list = runs.list.bind(runs);
    let release = (): void => undefined;
    const free = new Promise<void>((resolve) => {
      release = resolve;
    });
    Object.assign(runs, {
      list: async (...request: Parameters<typeof list>) => {
        await free;
        return await list(...request);
      },
    });
    const ask = async (): Promise<number> => (await narrow.as('user').get('/api/chat/T/messages')).status;
    const reading = Array.from({ length: 9 }, ask);
    expect(await Promise.race(reading)).toBe(429);
    release();
    expect((await Promise.all(reading)).filter((status) => status === 200)).toHaveLength(8);
    expect(await ask()).toBe(200);
  });
});
