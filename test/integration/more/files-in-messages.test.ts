import { beforeEach, describe, expect, test } from 'vitest';
import { chatOptions } from '../../../examples/chat/chat-options.ts';
import { isDefinition } from '../../../src/graph/definition/index.ts';
import type { ChannelDefinition, GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { requestsOf, say } from '../../support/builders/chat-model.ts';
import { BYTES } from '../../support/builders/file-parts.ts';
import { eventsOf, hasStatus, startRun } from '../../support/readers/api-runs.ts';
import { ChatClient } from '../../support/readers/chat-client.ts';
import { codeIn } from '../../support/readers/documentation.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { useAgentStack } from '../../support/servers/agent-stack.ts';

const { stack, model, user } = useAgentStack();

const png = BYTES.png.toString('base64');
const SENT = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };

/** A graph whose model answers the conversation in `messages`. */
const looking = (channel: Partial<ChannelDefinition> = {}, over: Partial<GraphDefinition> = {}): GraphDefinition =>
  aDefinition({
    name: 'looking',
    channels: { messages: { reducer: 'messages', ...channel } },
    nodes: { look: { type: 'llm', messages: 'messages', retry: { maxAttempts: 1 } } },
    edges: [{ from: '__start__', to: 'look' }],
    ...over,
  });

async function store(
  caller: 'user' | 'admin' | 'otherTenantUser' = 'user',
  contentType = 'image/png',
): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': contentType }, body: new Uint8Array(BYTES.png) };
  return textAt((await stack().as(caller).send('/api/blobs', init)).body, '/id');
}

const shown = (part: JsonObject): JsonObject => ({
  messages: {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', mediaType: 'image/png', ...part },
    ],
  },
});

const contentSent = (which = -1): unknown => at(requestsOf(model()).at(which) ?? null, '/messages/0/content');

describe('a message with a stored picture', () => {
  test('a stored picture in a message reaches the model complete, while the run stores only its reference', async () => {
    const blob = await store();
    model().answers(say('A lamp'));
    const run = await startRun(user(), looking(), shown({ blob }));
    expect(run).toMatchObject({ status: 'completed', output: { messages: [{}, { content: 'A lamp' }] } });
    expect(contentSent()).toEqual([{ type: 'text', text: 'What is it?' }, SENT]);
    const id = textAt(run, '/id');
    const told = [run, await eventsOf(user(), id), (await user().get(`/api/runs/${id}/calls`)).body];
    expect(at(told[2] ?? null, '/items/0/request/messages/0/content/1')).toEqual({
      type: 'image',
      mediaType: 'image/png',
      blob,
    });
    expect(JSON.stringify(told)).not.toContain(png);
  });

  test.each([
    ['an existing picture', async () => await store()],
    ['a missing picture', async () => await Promise.resolve('B-4711')],
  ])('a picture in a message is redacted with its channel for callers without payload:read: %s', async (_, blobOf) => {
    const blob = await blobOf();
    model().answers(say('A lamp'));
    const id = textAt(await startRun(user(), looking({ redact: true }), shown({ blob })), '/id');
    const seenBy = async (caller: 'user' | 'admin'): Promise<string> => {
      const reader = stack().as(caller);
      const paths = [`/api/runs/${id}`, `/api/runs/${id}/calls`, `/api/runs/${id}/state`, `/api/runs/${id}/explain`];
      return JSON.stringify([
        await eventsOf(reader, id),
        ...(await Promise.all(paths.map(async (path) => (await reader.get(path)).body))),
      ]);
    };
    expect(await seenBy('user')).not.toContain(blob);
    expect(await seenBy('admin')).toContain(blob);
  });
});

describe('a run that has waited', () => {
  /** Starts a run that sends a picture to a model, waits, and sends it again after a decision. */
  async function lookTwice(meanwhile: (run: Json) => Promise<void>): Promise<string> {
    model().answers(say('A lamp'), say('Bye'));
    const nodes: GraphDefinition['nodes'] = {
      look: { type: 'llm', messages: 'messages' },
      ask: { type: 'approval', title: 'Go on?' },
      again: { type: 'llm', messages: 'messages' },
    };
    const edges = [
      { from: '__start__', to: 'look' },
      { from: 'look', to: 'ask' },
      { from: 'ask', to: 'again' },
    ];
    const run = await startRun(user(), looking({}, { nodes, edges }), shown({ blob: await store() }));
    await meanwhile(run);
    const approval = textAt(run, '/waitingFor/0/id');
    await stack().as('approver').post(`/api/approvals/${approval}/decision`, { decision: 'approve' });
    return textAt(run, '/id');
  }

  test('a run that has waited sends the files of its conversation again', async () => {
    await user().untilRun(await lookTwice(async () => undefined), hasStatus('completed'));
    expect([contentSent(0), contentSent(1)]).toEqual([contentSent(0), [{ type: 'text', text: 'What is it?' }, SENT]]);
  });

  test('a run that has waited fails if a file of its conversation was deleted meanwhile', async () => {
    const id = await lookTwice(async () => {
      const files = await openPostgresStore(stack().databaseUrl ?? '');
      await files.files.forgetUnused(new Date(Date.now() + 60_000).toISOString());
      await files.close();
    });
    expect(await user().untilRun(id, hasStatus('failed'))).toMatchObject({
      error: { code: 'MODEL_FAILED', node: 'again', cause: { code: 'unknown_file' } },
    });
    expect(model().requests).toHaveLength(1);
  });
});

describe('a file that a run may not read', () => {
  beforeEach(() => model().answers(say('never')));

  const failed = async (part: JsonObject): Promise<Json> => {
    const run = await startRun(user(), looking(), shown(part));
    expect(model().requests).toEqual([]);
    return run;
  };
  const unknown = (id: string): object => ({
    status: 'failed',
    error: {
      code: 'MODEL_FAILED',
      node: 'look',
      message: expect.stringContaining(id),
      cause: { code: 'unknown_file' },
    },
  });

  test('a run may not read a file that belongs to another tenant or a colleague, or was deleted', async () => {
    for (const blob of [await store('otherTenantUser'), await store('admin'), '01JZ8Q0W4T9X2Y3Z4A5B6C7D8E'])
      expect(await failed({ blob })).toMatchObject(unknown(blob));
  });

  test('a run may not read a file at a private address, even one that tools may call', async () => {
    const run = await failed({ url: `${model().url}/secret.png?token=4711` });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'BLOCKED_URL', node: 'look' } });
    expect(JSON.stringify(at(run, '/error'))).not.toContain('4711');
  });

  test('a run may not read a file that has another type than declared', async () => {
    expect(await failed({ blob: await store('user', 'image/gif') })).toMatchObject({
      error: { code: 'MODEL_FAILED', cause: { code: 'wrong_media_type' } },
    });
  });
});

test('the start of a run with an invalid message is refused', async () => {
  const answer = await user().post('/api/runs', {
    graph: looking(),
    input: shown({ url: 'data:image/png;base64,AAAA' }),
  });
  expect(answer).toMatchObject(aProblem(422, 'INVALID_INPUT'));
  expect(JSON.stringify(answer.body)).toContain('/content/1/url of a message must be an http or https URL');
  expect(issuePathsOf(answer)).toEqual([expect.stringContaining('messages')]);
});

test('the documented example of messages with files runs', async () => {
  const [example = ''] = codeIn('docs/files.md', 'json');
  const blob = await store();
  const { graph, input } = JSON.parse(example.replace('01JZ8Q0W4T9X2Y3Z4A5B6C7D8E', blob));
  if (!isDefinition(graph)) throw new Error('The example has no graph');
  model().answers(say('The lamp'));
  expect(await startRun(user(), graph, input)).toMatchObject({ status: 'completed' });
  expect(at(requestsOf(model())[0] ?? null, '/messages/1/content')).toEqual([
    { type: 'text', text: 'What is broken here?' },
    SENT,
  ]);
});

describe('a chat', () => {
  const open = async (graph: GraphDefinition): Promise<ChatClient> => {
    await user().post('/api/graphs', graph);
    const { baseUrl, tokens } = stack();
    return new ChatClient({ id: graph.name, ...chatOptions({ baseUrl, graph: graph.name, token: () => tokens.user }) });
  };
  const file = (url: string) => ({ type: 'file', mediaType: 'image/png', filename: 'lamp.png', url }) as const;

  test('the chat endpoint accepts stored pictures', async () => {
    const chat = await open(looking({}, { name: 'seeing' }));
    model().answers(say('A lamp'));
    await chat.sendMessage({ text: 'What is it?', files: [file(`/api/blobs/${await store()}`)] });
    expect([chat.errors, chat.lastParts]).toMatchObject([[], [{ type: 'text', text: 'A lamp' }]]);
    expect(toJson(contentSent())).toEqual(expect.arrayContaining([{ type: 'text', text: 'What is it?' }, SENT]));
  });

  test('the chat endpoint returns pictures from the answer of a graph', async () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image', mediaType: 'image/png', blob: 'B1' },
    ];
    const nodes: GraphDefinition['nodes'] = {
      draw: { type: 'set', write: { messages: { role: 'assistant', content } } },
    };
    const chat = await open(looking({}, { name: 'drawing', nodes, edges: [{ from: '__start__', to: 'draw' }] }));
    await chat.sendMessage({ text: 'Draw a lamp' });
    expect(chat.errors).toEqual([]);
    expect(chat.lastParts).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'file', url: '/api/blobs/B1', mediaType: 'image/png' },
    ]);
    expect(listAt(toJson(chat.lastParts), '')).toHaveLength(2);
  });
});
