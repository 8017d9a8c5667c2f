import { DefaultChatTransport } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../../src/client/create-client.ts';
import type { RunEventBody } from '../../../../src/graph/journal/events.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { AT, aBatch, aNewRun, aView, writeTo } from '../../../support/builders/store-builders.ts';
import { ChatClient } from '../../../support/readers/chat-client.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let hash: string;
beforeAll(async () => {
  api = await startTestApi({ models: { default: { provider: 'openai', model: 'm' } } });
  const graph = aDefinition({
    name: 'helper',
    channels: { messages: { reducer: 'messages' } },
    nodes: { n: { type: 'llm', messages: 'messages' } },
    edges: [{ from: '__start__', to: 'n' }],
  });
  hash = textAt((await api.as('user').post('/api/graphs', graph)).body, '/hash');
});
afterAll(async () => {
  await api.stop();
});

const CALL = { node: 'n', visit: 1, tool: 'pay' } as const;
const PROGRESS = { ...CALL, attempt: 1, callKey: 'C', value: { done: 1 } };
const REQUESTED: RunEventBody = { ...CALL, type: 'tool.requested', idempotencyKey: 'C', args: {} };
const COMPLETED: RunEventBody = { type: 'run.completed', output: {} };

/** Stores a run that makes a call. @returns what ends the run */
async function begin(id: string, isHidden: boolean): Promise<() => Promise<void>> {
  const graph = { name: 'helper', version: 1, hash };
  await api.store.runs.create(aNewRun({ id, tenantId: 'demo', threadId: id, graph }));
  if (isHidden) await api.store.runs.setRedaction(id, { ...NOTHING_REDACTED, nodes: { n: { calls: true } } });
  const write = async (events: readonly RunEventBody[], after: number, view = {}): Promise<void> => {
    const numbered = events.map((event, index) => ({ ...event, seq: after + index + 1, at: AT, step: 0 }));
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([], { events: numbered, view: aView(view) }));
  };
  await write([{ type: 'run.started', graph: {}, by: 'ann' }, { type: 'step.started', nodes: ['n'] }, REQUESTED], 0);
  return async () => await write([COMPLETED], 3, { status: 'completed', endedAt: AT });
}

test.each([
  ['user', false, 1],
  ['user', true, 0],
  ['admin', true, 1],
] as const)('the stream of a run sends the progress of a call to a %s, hidden %s', async (caller, isHidden, count) => {
  const id = `R-${caller}-${isHidden}`;
  const end = await begin(id, isHidden);
  const { runs } = createClient({
    baseUrl: 'http://127.0.0.1',
    token: api.tokens[caller],
    fetch: async (url, init) => await api.request(url, init),
  });
  const received: string[] = [];
  for await (const event of runs.followTokens(id)) {
    received.push(event.type === 'tool.progress' ? `${event.type} ${JSON.stringify(event.value)}` : event.type);
    if (event.type !== 'tool.requested') continue;
    await api.store.deltas.publish(id, [PROGRESS]);
    await end();
  }
  expect(received.filter((type) => type.startsWith('tool.progress'))).toEqual(
    Array.from({ length: count }, () => 'tool.progress {"done":1}'),
  );
});

test.each([
  [false, [{ type: 'data-progress', id: 'C', data: { toolCallId: 'C', tool: 'pay', value: { done: 1 } } }]],
  [true, []],
])('a chat gets the progress of a call as transient data, hidden %s', async (isHidden, expected) => {
  const id = `T-${isHidden}`;
  const end = await begin(id, isHidden);
  const transport = new DefaultChatTransport({
    api: 'http://127.0.0.1/api/chat/helper',
    headers: { authorization: `Bearer ${api.tokens.user}` },
    fetch: async (url, init) => await api.request(new Request(url).url, init),
  });
  const chat = new ChatClient({ id, transport });
  const resumed = chat.resumeStream();
  await expect.poll(() => chat.lastParts.length).toBe(1);
  await api.store.deltas.publish(id, [PROGRESS]);
  await end();
  await resumed;
  const isProgress = (part: unknown): boolean => JSON.stringify(part).includes('data-progress');
  expect(chat.data.filter(isProgress)).toMatchObject(expected);
  expect(chat.messages.at(-1)?.parts.map(({ type }) => type)).toEqual(['step-start', 'dynamic-tool']);
});
