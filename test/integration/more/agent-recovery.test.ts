import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/graph/values/json.ts';
import { PRICE, anAgent, startAgent, useAgentStack } from '../../support/servers/agent-stack.ts';
import { aGraphOf, eventsOf, postRun, readAll, startRun } from '../../support/readers/api-runs.ts';
import { checkpointWhere, checkpointsOf, hasNextNodes } from '../../support/readers/api-states.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { askFor, requestsOf, say, toolResultsSentTo } from '../../support/builders/chat-model.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { answer, json, silence } from '../../support/doubles/loopback-server.ts';
import { aProblem } from '../../support/readers/problems.ts';

const { model, service, user, control, until } = useAgentStack();

const idOf = (run: Json): string => textAt(run, '/id');
const work = (job: string) => ['work', { job }] as const;

describe('a budget', () => {
  const limited = async (limits: object): Promise<Json> => {
    const graph = aGraphOf(anAgent());
    return (await postRun(user(), { graph, limits })).body;
  };
  const exceeded = (message: RegExp) => ({
    status: 'failed',
    error: { code: 'BUDGET_EXCEEDED', node: 'only', message: expect.stringMatching(message) },
  });

  test('a token budget ends the run before it is exceeded, and the usage so far is counted', async () => {
    model().answers(
      askFor([work('a')], { input: 1_200, output: 80 }),
      askFor([work('b')], { input: 3_400, output: 95 }),
    );
    expect(await limited({ maxTokens: 5_000 })).toMatchObject({
      ...exceeded(/^The budget maxTokens of 5000 is used up: 4775; about \d+ more are needed/),
      usage: { inputTokens: 4_600, outputTokens: 175, modelCalls: 2, toolCalls: 2 },
    });
    expect(service().done).toEqual(['a', 'b']);
  });

  test('a token budget limits each answer of a model to the remaining tokens', async () => {
    model().answers(askFor([work('a')], { input: 4_000, output: 500 }), say('Done'));
    await limited({ maxTokens: 5_000 });
    const [first, second] = requestsOf(model()).map((request) => Number(at(request, '/max_tokens')));
    expect(first).toBeGreaterThan(3_500);
    expect(first).toBeLessThan(5_000);
    expect(second).toBeLessThan(500);
    expect(second).toBeGreaterThan(0);
  });

  test('a money budget ends the run, and all reported costs add up to a millionth of a dollar', async () => {
    const turns = [
      { input: 101, output: 7 },
      { input: 203, output: 11 },
      { input: 307, output: 13 },
    ];
    model().answers(...turns.map((used, turn) => askFor([work(`job ${turn}`)], used)));
    const run = await limited({ maxCostUsd: 0.000_13 });
    expect(run).toMatchObject(
      exceeded(/^The budget maxCostUsd of 0\.00013 is used up: 0\.00011; at least 0\.\d+ more are needed$/),
    );
    const called = await eventsOf(user(), idOf(run), 'model.called');
    const told = called.map((event) => Math.round(Number(at(event, '/costUsd')) * 1_000_000));
    expect(told).toEqual(turns.map(({ input, output }) => Math.round(input * PRICE.input + output * PRICE.output)));
    expect(at(run, '/usage')).toEqual({
      inputTokens: 611,
      outputTokens: 31,
      costUsd: told.reduce((sum, micros) => sum + micros, 0) / 1_000_000,
      modelCalls: 3,
      toolCalls: 3,
    });
  });

  test('a budget of tool calls refuses all calls of a turn that requests too many', async () => {
    model().answers(askFor([work('a')]), askFor([work('b'), work('c')]));
    expect(await limited({ maxToolCalls: 2 })).toMatchObject({
      ...exceeded(/^The budget maxToolCalls of 2 is used up: 1; 2 more would be made/),
      usage: { modelCalls: 2, toolCalls: 1 },
    });
    expect(service().done).toEqual(['a']);
  });

  test('a budget can be raised by a retry up to the limit of the graph, and no call is repeated', async () => {
    const graph = aGraphOf(anAgent(), { limits: { maxToolCalls: 3 } });
    model().answers(askFor([work('a')]), askFor([work('b'), work('c')]), say('Done'));
    const { body } = await postRun(user(), { graph, limits: { maxToolCalls: 2 } });
    expect(body).toMatchObject({ status: 'failed' });
    const tooMuch = await control(idOf(body), 'retry', { limits: { maxToolCalls: 4 } });
    expect(tooMuch).toMatchObject(aProblem(422, 'LIMIT_TOO_LOOSE'));
    await control(idOf(body), 'retry', { limits: { maxToolCalls: 3 } });
    expect(await until(idOf(body), 'completed')).toMatchObject({ usage: { modelCalls: 3, toolCalls: 3 } });
    expect(service().done.toSorted()).toEqual(['a', 'b', 'c']);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}', '{"job":"b"}', '{"job":"c"}']);
  });
});

describe('a cancellation', () => {
  test('canceling a run during a model call aborts the request to the model', async () => {
    const asked = silence();
    model().answers(askFor([work('a')]), asked.answer);
    const { body } = await user().post('/api/runs', { graph: aGraphOf(anAgent()) });
    await asked.asked;
    await control(idOf(body), 'cancel');
    await asked.left;
    expect(await until(idOf(body), 'canceled')).toMatchObject({ usage: { modelCalls: 2, toolCalls: 1 } });
    expect(model().requests).toHaveLength(2);
  });

  test('canceling a run during a tool call awaits the call, and the model is not called again', async () => {
    model().answers(askFor([work('a'), work('b')]));
    const held = service().hold('a');
    const { body } = await user().post('/api/runs', { graph: aGraphOf(anAgent()) });
    const release = await held;
    await control(idOf(body), 'cancel');
    release();
    const run = await until(idOf(body), 'canceled');
    expect(model().requests).toHaveLength(1);
    expect(run).toMatchObject({ usage: { modelCalls: 1 } });
  });
});

describe('a failed agent', () => {
  /** Starts an agent whose model fails after two calls. */
  async function startFailing(): Promise<Json> {
    model().answers(askFor([work('a'), work('b')], { input: 500, output: 20 }), answer(400));
    const run = await startAgent(user());
    expect(run).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED', node: 'only' } });
    return run;
  }

  test('a retried agent node continues from its failure and repeats no paid call', async () => {
    const run = await startFailing();
    model().answers(say('Done', { input: 600, output: 30 }));
    await control(idOf(run), 'retry');
    expect(await until(idOf(run), 'completed')).toMatchObject({
      output: { answer: { text: 'Done', iterations: 2, usage: { inputTokens: 1_100, outputTokens: 50 } } },
      usage: { inputTokens: 1_100, outputTokens: 50, toolCalls: 2 },
    });
    expect(model().requests).toHaveLength(3);
    expect(
      service()
        .calls.map(({ job }) => job)
        .toSorted(),
    ).toEqual(['a', 'b']);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}', '{"job":"b"}']);
  });

  test('a failed agent node can fail and be retried several times', async () => {
    const run = await startFailing();
    for (let times = 0; times < 2; times++) {
      model().answers(answer(400));
      await control(idOf(run), 'retry');
      await expect.poll(() => model().requests.length).toBe(3 + times);
      await until(idOf(run), 'failed');
    }
    model().answers(say('Done'));
    await control(idOf(run), 'retry');
    await until(idOf(run), 'completed');
    expect(service().calls).toHaveLength(2);
  });

  test('a failed agent node is skipped with a given output', async () => {
    const run = await startFailing();
    await control(idOf(run), 'skip', { node: 'only', output: { text: 'by hand' } });
    expect(await until(idOf(run), 'completed')).toMatchObject({ output: { answer: { text: 'by hand' } } });
  });

  test('an agent node uses its next model after the first has failed permanently', async () => {
    model().answers(answer(401), say('Here I am'));
    expect(await startAgent(user(), { model: ['default', 'spare'] })).toMatchObject({
      status: 'completed',
      output: { answer: { text: 'Here I am', model: 'spare', iterations: 1 } },
    });
  });

  test('an agent node does not retry a model whose quota is exhausted and uses the next one', async () => {
    const noQuota = { error: { message: 'You exceeded your current quota', type: 'x', code: 'insufficient_quota' } };
    model().answers(json(noQuota, 429, { 'retry-after': '1' }), say('Here I am'));
    const run = await startAgent(user(), { model: ['default', 'spare'], retry: { maxAttempts: 5 } });
    expect(run).toMatchObject({ status: 'completed', output: { answer: { text: 'Here I am', model: 'spare' } } });
    expect(await eventsOf(user(), idOf(run), 'model.called')).toMatchObject([
      { model: 'default', attempts: 1, error: { code: 'MODEL_FAILED', cause: { code: 'insufficient_quota' } } },
      { model: 'spare', attempts: 1 },
    ]);
    expect(model().requests).toHaveLength(2);
  });
});

describe('a fork', () => {
  const graph = aDefinition({
    channels: { chat: { reducer: 'messages' }, first: {}, second: {} },
    nodes: {
      one: { ...anAgent({ messages: 'chat' }), write: { first: '{{ result.text }}' } },
      two: { ...anAgent({ messages: 'chat' }), write: { second: '{{ result.text }}' } },
    },
  });
  const input = { chat: [{ role: 'user', content: 'Do it.' }] };

  test('a fork between two agent nodes continues with the second and repeats no paid call', async () => {
    model().answers(askFor([work('a')]), say('First'), askFor([work('b')]), say('Second'));
    const run = await startRun(user(), graph, input);
    const checkpoint = await checkpointWhere(user(), idOf(run), hasNextNodes('two'));
    model().answers(say('Otherwise'));
    const { body } = await user().post(`/api/runs/${idOf(run)}/fork`, { checkpoint }, { prefer: 'wait=15' });
    expect(await until(idOf(body), 'completed')).toMatchObject({
      parentRunId: idOf(run),
      output: { first: 'First', second: 'Otherwise' },
      usage: { modelCalls: 3, toolCalls: 1 },
    });
    expect(service().done).toEqual(['a', 'b']);
    expect(model().requests).toHaveLength(5);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}']);
  });

  test('a fork from before an agent node repeats its calls under new keys', async () => {
    model().answers(askFor([work('a')]), say('First'), say('Second'));
    const run = await startRun(user(), graph, input);
    const [first] = await checkpointsOf(user(), idOf(run));
    model().answers(askFor([work('a')]), say('Again'), say('And again'));
    const { body } = await user().post(`/api/runs/${idOf(run)}/fork`, { checkpoint: textAt(first ?? null, '/id') });
    await until(idOf(body), 'completed');
    expect(service().done).toEqual(['a', 'a']);
    const keys = service().calls.map(({ key }) => key);
    expect(keys.map((key) => key.split(':')[0])).toEqual([idOf(run), idOf(body)]);
  });

  test('a fork with agent nodes can be replayed without calling models, tools or people', async () => {
    model().answers(askFor([work('a'), work('b')]), say('First'), say('Second'));
    const run = await startRun(user(), graph, input);
    const before = model().requests.length;
    const { body } = await user().post(`/api/runs/${idOf(run)}/replay`, {});
    expect(body).toMatchObject({ status: 'completed', divergence: null });
    expect([model().requests.length, service().calls.length]).toEqual([before, 2]);
    expect(await readAll(user(), `/api/runs/${idOf(run)}/checkpoints`)).toHaveLength(3);
  });
});
