import { Client as TemporalClient, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { startCollector } from '../../support/doubles/collector.ts';
import type { CollectedSpan, Collector } from '../../support/doubles/collector.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { answer, json, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { startToolAskingModel } from '../../support/doubles/tool-asking-model.ts';
import type { ToolAskingModel } from '../../support/doubles/tool-asking-model.ts';
import { hasStatus, postRun } from '../../support/readers/api-runs.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

const CANARY = 'canary-4711';
const CALLER = '0af7651916cd43dd8448eb211c80319c';
const CALLING_SPAN = 'b7ad6b7169203331';
const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];

let collector: Collector;
let server: LoopbackServer;
let model: ToolAskingModel;
let stack: TestStack;
let connection: Connection;
let workflow: TemporalClient['workflow'];
beforeAll(async () => {
  collector = await startCollector();
  server = await startLoopbackServer();
  model = await startToolAskingModel([{ name: 'look', args: { q: CANARY } }]);
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const retry = { maxAttempts: 3, initialInterval: '1s' };
  stack = await startTestStack({
    models: {
      default: {
        provider: 'openai-compatible',
        model: 'asking',
        baseUrl: model.url,
        stream: false,
        price: { input: 10, output: 10 },
      },
    },
    tools: [aToolOf(server), aToolOf(server, { name: 'look', effect: 'idempotent', retry })],
    http: { allow: [server.address, model.address] },
    // Runs continue as new as often as possible.
    defaults: { continueAfter: 1 },
    telemetry: { captureContent: true },
  });
  connection = await Connection.connect({ address: stack.temporalAddress });
  ({ workflow } = new TemporalClient({ connection, namespace: stack.namespace }));
});
afterEach(() => {
  server.forget();
  collector.forget();
});
afterAll(async () => {
  await connection.close();
  await stack.stop();
  vi.unstubAllEnvs();
  await Promise.all([collector.stop(), server.stop(), model.stop()]);
});

interface Started {
  readonly input?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly threadId?: string;
}

async function start(graph: GraphDefinition, { input = {}, headers = {}, ...over }: Started = {}): Promise<Json> {
  const asked = { graph, input, ...over };
  const { status, body } = await postRun(stack.as('user'), asked, headers);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

const approve = async (run: Json): Promise<void> => {
  const { status } = await stack.as('approver').post(`/api/approvals/${textAt(run, '/waitingFor/0/id')}/decision`, {
    decision: 'approve',
  });
  expect(status).toBe(200);
};

/** Spans are exported last, so they arrive late. */
const EXPORTED = { interval: 25, timeout: 45_000 };

/** Returns the spans of a run once the given number of its segments has arrived. */
async function spansOf(runId: string, segments: number): Promise<readonly CollectedSpan[]> {
  const ofRun = (): readonly CollectedSpan[] =>
    collector.spans.filter(({ attributes, kind }) => attributes['holdfast.run.id'] === runId && kind !== SERVER);
  const isRoot = ({ name }: CollectedSpan): boolean => name.startsWith('invoke_workflow ');
  await expect.poll(() => ofRun().filter(isRoot).length, EXPORTED).toBe(segments);
  return ofRun();
}

/** The names of spans, each with those of its ancestors. */
function pathsOf(spans: readonly CollectedSpan[]): readonly string[] {
  const pathOf = ({ name, parentId }: CollectedSpan): string => {
    const above = spans.find(({ spanId }) => spanId === parentId);
    return above ? `${pathOf(above)} > ${name}` : name;
  };
  return spans.map(pathOf).toSorted();
}

const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const first = spans.find((span) => span.name === name);
  if (!first) throw new Error(`There is no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return first;
};

/** The span of a request, which may arrive after those of its run, and after those of the previous test. */
const served = async (name: string, isWanted = (_span: CollectedSpan) => true): Promise<CollectedSpan> =>
  await vi.waitUntil(() => collector.spans.find((span) => span.name.startsWith(name) && isWanted(span)), EXPORTED);

const asking = (over: Partial<GraphDefinition> = {}): GraphDefinition =>
  aDefinition({
    channels: { messages: { reducer: 'messages' }, answer: {} },
    nodes: {
      think: { type: 'agent', prompt: 'Look it up', tools: ['look'], write: 'answer' },
      ask: { type: 'approval', title: 'May I?' },
      pay: { type: 'tool', tool: 'work', args: { amount: 1 }, write: 'answer' },
    },
    ...over,
  });

describe('a run that waits for a person', () => {
  test('the trace of a run that waits for a person has spans of the request, of each execution part and of each attempt', async () => {
    server.answers(answer(503), json({ found: CANARY }), json({ paid: true }));
    const headers = { traceparent: `00-${CALLER}-${CALLING_SPAN}-01`, baggage: 'canary=1', tracestate: 'v=1' };
    const run = await start(asking(), { headers, threadId: 'thread-1' });
    const id = textAt(run, '/id');
    await approve(run);
    await stack.as('user').untilRun(id, hasStatus('completed'));
    const spans = await spansOf(id, 2);
    expect(pathsOf(spans)).toEqual([
      'invoke_workflow test',
      'invoke_workflow test',
      'invoke_workflow test > holdfast.superstep',
      'invoke_workflow test > holdfast.superstep',
      'invoke_workflow test > holdfast.superstep',
      'invoke_workflow test > holdfast.superstep',
      'invoke_workflow test > holdfast.superstep > holdfast.node ask',
      'invoke_workflow test > holdfast.superstep > holdfast.node ask',
      'invoke_workflow test > holdfast.superstep > holdfast.node pay',
      'invoke_workflow test > holdfast.superstep > holdfast.node pay > execute_tool work',
      'invoke_workflow test > holdfast.superstep > invoke_agent think',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > chat asking',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > chat asking',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > execute_tool look',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > execute_tool look',
    ]);
    const [first, second] = spans.filter(({ name }) => name === 'invoke_workflow test');
    const request = await served('POST /api/runs', ({ traceId }) => traceId === CALLER);
    expect(request).toMatchObject({ parentId: CALLING_SPAN, kind: SERVER });
    expect(request.attributes).toMatchObject({ 'http.response.status_code': 201, 'holdfast.tenant': 'demo' });
    expect(first).toMatchObject({ traceId: CALLER, parentId: request.spanId, kind: INTERNAL, links: [] });
    expect(second?.traceId).not.toBe(CALLER);
    const decision = await served('POST /api/approvals/');
    expect(second?.links).toEqual([
      { traceId: first?.traceId, spanId: first?.spanId },
      { traceId: decision.traceId, spanId: decision.spanId },
    ]);
    expect(second?.attributes['holdfast.run.status']).toBe('completed');
  });

  test('the trace of a run that waits for a person has the error of each attempt, and usage and cost of models', async () => {
    server.answers(answer(503, {}, CANARY), json({ found: 1 }), json({ paid: true }));
    const run = await start(asking());
    const spans = await spansOf(textAt(run, '/id'), 1);
    const attempts = spans.filter(({ name }) => name === 'execute_tool look');
    expect(attempts.map(({ attributes, isFailed }) => [attributes['holdfast.attempt'], isFailed])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(attempts[0]?.attributes['error.type']).toBe('TOOL_FAILED');
    expect(new Set(attempts.map(({ attributes }) => attributes['holdfast.idempotency_key'])).size).toBe(1);
    const chat = named(spans, 'chat asking');
    expect(chat.kind).toBe(CLIENT);
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'asking',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'server.address': '127.0.0.1',
    });
    expect(named(spans, 'invoke_agent think').attributes['holdfast.usage.cost_usd']).toBeCloseTo(0.0022);
  });

  test('the trace of a run that waits for a person has an agent span in each part, linked to the span before the wait', async () => {
    server.answers(json({ found: 1 }));
    const agent = { type: 'agent', prompt: 'Look it up', tools: ['look'], approve: { look: 'always' } } as const;
    const run = await start(aDefinition({ nodes: { think: agent } }), { threadId: 'thread-2' });
    expect(textAt(run, '/status')).toBe('waiting');
    await approve(run);
    const spans = await spansOf(textAt(run, '/id'), 2);
    expect(pathsOf(spans).filter((path) => path.includes('invoke_agent'))).toEqual([
      'invoke_workflow test > holdfast.superstep > invoke_agent think',
      'invoke_workflow test > holdfast.superstep > invoke_agent think',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > chat asking',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > chat asking',
      'invoke_workflow test > holdfast.superstep > invoke_agent think > execute_tool look',
    ]);
    const [before, after] = spans.filter(({ name }) => name === 'invoke_agent think');
    expect(before).toMatchObject({ kind: INTERNAL, links: [] });
    expect(after?.links).toEqual([{ traceId: before?.traceId, spanId: before?.spanId }]);
    expect(after?.traceId).not.toBe(before?.traceId);
    expect(before?.endedAt).toBeLessThanOrEqual(after?.startedAt ?? 0);
    for (const { attributes } of [before, after].filter((span) => span !== undefined))
      expect(attributes).toMatchObject({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'think',
        'gen_ai.agent.id': 'test/think',
        'gen_ai.conversation.id': 'thread-2',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 10,
      });
  });

  test('a run passes the trace context to its tools, and untrusted clients can not set the context', async () => {
    server.answers(json({ found: 1 }));
    const headers = { traceparent: `00-${CALLER}-${CALLING_SPAN}-01`, baggage: 'canary=1', tracestate: 'v=1' };
    const run = await start(asking(), { headers });
    const { traceId, spanId } = named(await spansOf(textAt(run, '/id'), 1), 'execute_tool look');
    const heard = server.requests[0]?.headers;
    expect(heard?.['traceparent']).toBe(`00-${traceId}-${spanId}-01`);
    expect(traceId).toBe(CALLER);
    expect([heard?.['baggage'], heard?.['tracestate']]).toEqual([undefined, undefined]);
  });
});

describe('the contents of prompts and answers', () => {
  test('prompts and answers are recorded in traces where the configuration allows it', async () => {
    server.answers(json({ found: CANARY }));
    const spans = await spansOf(textAt(await start(asking()), '/id'), 1);
    const { attributes } = named(spans, 'execute_tool look');
    expect(attributes['gen_ai.tool.call.arguments']).toBe(JSON.stringify({ q: CANARY }));
    expect(attributes['gen_ai.tool.call.result']).toBe(JSON.stringify({ found: CANARY }));
    expect(named(spans, 'chat asking').attributes['gen_ai.input.messages']).toContain('Look it up');
  });

  test('prompts and answers are not recorded in traces of a run with redaction', async () => {
    server.answers(answer(500, {}, CANARY), json({ found: CANARY }));
    const channels = { messages: { reducer: 'messages' }, answer: {}, secret: { redact: true } } as const;
    const run = await start(asking({ channels }), { input: { secret: CANARY } });
    const spans = await spansOf(textAt(run, '/id'), 1);
    expect(spans.map(({ name }) => name)).toContain('execute_tool look');
    expect(collector.text()).not.toContain(CANARY);
  });

  test('prompts and answers are recorded in traces without the tokens of requests', async () => {
    await stack.as('user').get(`/api/runs?graph=${CANARY}`);
    await stack.as('user').get(`/api/runs/${CANARY}`);
    await expect.poll(() => collector.spans.map(({ name }) => name), EXPORTED).toContain('GET /api/runs/:id');
    expect(collector.text()).not.toContain(CANARY);
    expect(collector.text()).not.toContain(stack.tokens.user.slice(-20));
  });
});

test('a run has no trace spans if its caller does not sample the request', async () => {
  server.answers(json({ found: 1 }));
  const headers = { traceparent: `00-${CALLER}-${CALLING_SPAN}-00` };
  const run = await start(asking(), { headers });
  expect(server.requests[0]?.headers['traceparent']).toBeUndefined();
  await start(aDefinition());
  await expect.poll(() => collector.spans.map(({ name }) => name), EXPORTED).toContain('invoke_workflow test');
  expect(collector.text()).not.toContain(textAt(run, '/id'));
});

test('a request with an invalid traceparent header begins a new trace', async () => {
  const spans = await spansOf(textAt(await start(aDefinition(), { headers: { traceparent: 'none' } }), '/id'), 1);
  const { traceId, parentId } = named(spans, 'invoke_workflow test');
  const request = await served('POST /api/runs', (span) => span.traceId === traceId);
  expect(request.parentId).toBe('');
  expect(parentId).toBe(request.spanId);
});

test('a run that continues as new has each span of its trace once', async () => {
  const nodes = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [name, { type: 'tool', tool: 'work', args: { name } }] as const),
  );
  server.answers(json(1), json(2), json(3));
  const id = textAt(await start(aDefinition({ nodes })), '/id');
  const spans = await spansOf(id, 1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(spans.filter(({ name }) => name === 'holdfast.node b')).toHaveLength(1);
  expect((await executionsOf(workflow, id)).length).toBeGreaterThan(1);
});

test('a failing trace collector does not affect runs', async () => {
  collector.refuse();
  const before = collector.requests;
  const run = await start(aDefinition());
  expect(textAt(run, '/status')).toBe('completed');
  await expect.poll(() => collector.requests).toBeGreaterThan(before);
  expect(textAt(await start(aDefinition()), '/status')).toBe('completed');
});
