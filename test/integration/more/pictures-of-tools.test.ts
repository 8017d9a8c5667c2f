import { resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { askFor, requestsOf, say } from '../../support/builders/chat-model.ts';
import { BYTES } from '../../support/builders/file-parts.ts';
import { REPLIES } from '../../support/builders/provider-replies.ts';
import { answer, json, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { eventsOf, hasStatus, startRun } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const SECRETS = { MODEL_KEY: 'key-of-the-model' };

let model: LoopbackServer;
let service: LoopbackServer;
let stack: TestStack;

beforeAll(async () => {
  model = await startLoopbackServer();
  service = await startLoopbackServer();
  const retry = { maxAttempts: 1 };
  stack = await startTestStack(
    {
      models: {
        default: { provider: 'openai-compatible', model: 'm', baseUrl: `${model.url}/v1`, retry },
        claude: {
          provider: 'anthropic',
          model: 'claude-sonnet-4-5',
          baseUrl: `${model.url}/v1`,
          apiKey: { secret: 'MODEL_KEY' },
          retry,
        },
      },
      mcpServers: {
        every: {
          command: process.execPath,
          args: [EVERYTHING, 'stdio'],
          trusted: true,
          tools: { 'get-tiny-image': {} },
        },
      },
      tools: [
        {
          name: 'chart',
          description: 'A chart',
          parameters: { type: 'object' },
          method: 'GET',
          url: `${service.url}/chart.png`,
          effect: 'idempotent',
        },
      ],
      http: { allow: [model.address, service.address] },
    },
    SECRETS,
  );
});
beforeEach(() => {
  model.forget();
  service.forget();
});
afterAll(async () => {
  await stack.stop();
  await model.stop();
  await service.stop();
});

/** A graph whose agent may call both tools, and keeps its conversation. */
const looking = (over: Partial<GraphDefinition> = {}, name = 'default'): GraphDefinition =>
  aDefinition({
    name: 'looking',
    channels: { messages: { reducer: 'messages' } },
    nodes: { look: { type: 'agent', model: name, messages: 'messages', tools: ['every.get-tiny-image', 'chart'] } },
    edges: [{ from: '__start__', to: 'look' }],
    ...over,
  });

const input = { messages: { role: 'user', content: 'What is in the pictures?' } };
const png = BYTES.png.toString('base64');

/** Answers of a model of Anthropic that calls a tool first. */
const claudeAsks = (name: string) =>
  json({
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'tool_use', id: 't1', name, input: {} }],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });

const filesOf = (run: Json): readonly Json[] =>
  listAt(run, '/output/messages').flatMap((message) =>
    at(message, '/role') === 'tool' ? listAt(message, '/files') : [],
  );

test('pictures of an MCP tool and of an HTTP tool reach a model of chat completions as parts', async () => {
  model.answers(
    askFor([
      ['every_get-tiny-image', {}],
      ['chart', {}],
    ]),
    say('A logo and a chart'),
  );
  service.answers(answer(200, { 'content-type': 'image/png' }, BYTES.png));
  const run = await startRun(stack.as('user'), looking(), input);
  expect(run).toMatchObject({ status: 'completed' });
  const [logo = null, chart = null] = filesOf(run);
  expect([logo, chart]).toMatchObject([
    { type: 'image', mediaType: 'image/png' },
    { type: 'image', mediaType: 'image/png' },
  ]);
  const messages = listAt(requestsOf(model).at(-1) ?? null, '/messages');
  expect(messages.map((message) => at(message, '/role'))).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  expect(at(messages.at(-1) ?? null, '/content')).toEqual([
    {
      type: 'text',
      text: `The tool every_get-tiny-image has answered this file (${textAt(logo, '/blob')}) in call call-0:`,
    },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo.{1000}/) } },
    { type: 'text', text: `The tool chart has answered this file (${textAt(chart, '/blob')}) in call call-1:` },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
  ]);
});

test('a picture of an MCP tool reaches a model of Anthropic as a part', async () => {
  model.answers(claudeAsks('every_get-tiny-image'), REPLIES.anthropic.text);
  expect(await startRun(stack.as('user'), looking({}, 'claude'), input)).toMatchObject({ status: 'completed' });
  expect(at(requestsOf(model).at(-1) ?? null, '/messages/2/content')).toMatchObject([
    { type: 'tool_result', tool_use_id: 't1' },
    { type: 'text' },
    {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo.{1000}/) },
    },
  ]);
});

test('the run, its events and its calls have references of a picture and no bytes', async () => {
  model.answers(askFor([['chart', {}]]), say('A chart'));
  service.answers(answer(200, { 'content-type': 'image/png' }, BYTES.png));
  const run = await startRun(stack.as('user'), looking(), input);
  const id = textAt(run, '/id');
  const { body } = await stack.as('user').get(`/api/runs/${id}/calls`);
  const called = listAt(body, '/items').at(-1) ?? null;
  const one = (await stack.as('user').get(`/api/runs/${id}/calls/${encodeURIComponent(textAt(called, '/key'))}`)).body;
  expect(at(one, '/request/messages/2/files')).toEqual(filesOf(run));
  const file = await stack.as('user').send(`/api/blobs/${textAt(filesOf(run)[0] ?? null, '/blob')}`, {});
  expect(file).toMatchObject({ status: 200 });
  expect(JSON.stringify([run, await eventsOf(stack.as('user'), id), body, one])).not.toContain(png);
});

test('a picture that is gone becomes a text, and the run goes on', async () => {
  model.answers(askFor([['chart', {}]]), say('A chart'), say('Gone'));
  service.answers(answer(200, { 'content-type': 'image/png' }, BYTES.png));
  const nodes: GraphDefinition['nodes'] = {
    ...looking().nodes,
    ask: { type: 'approval', title: 'Go on?' },
    again: { type: 'llm', messages: 'messages' },
  };
  const edges = [
    { from: '__start__', to: 'look' },
    { from: 'look', to: 'ask' },
    { from: 'ask', to: 'again' },
  ];
  const run = await startRun(stack.as('user'), looking({ nodes, edges }), input);
  const files = await openPostgresStore(stack.databaseUrl ?? '');
  await files.files.forgetUnused(new Date(Date.now() + 60_000).toISOString());
  await files.close();
  await stack
    .as('approver')
    .post(`/api/approvals/${textAt(run, '/waitingFor/0/id')}/decision`, { decision: 'approve' });
  await stack.as('user').untilRun(textAt(run, '/id'), hasStatus('completed'));
  const last = requestsOf(model).at(-1) ?? null;
  expect(textAt(last, '/messages/2/content')).toContain('[image/png, not shown: it is not available]');
  expect(JSON.stringify(last)).not.toContain('image_url');
});

test('files of tools are redacted with the channel of their messages', async () => {
  model.answers(askFor([['chart', {}]]), say('A chart'));
  service.answers(answer(200, { 'content-type': 'image/png' }, BYTES.png));
  const channels: GraphDefinition['channels'] = { messages: { reducer: 'messages', redact: true } };
  const id = textAt(await startRun(stack.as('user'), looking({ channels }), input), '/id');
  const seenBy = async (caller: 'user' | 'admin'): Promise<string> => {
    const reader = stack.as(caller);
    const paths = [`/api/runs/${id}`, `/api/runs/${id}/calls`, `/api/runs/${id}/state`];
    const read = await Promise.all(paths.map(async (path) => (await reader.get(path)).body));
    return JSON.stringify([await eventsOf(reader, id), ...read]);
  };
  expect(await seenBy('user')).not.toContain('"blob"');
  expect(await seenBy('admin')).toContain('"blob"');
});
