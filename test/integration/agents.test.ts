import { describe, expect, test } from 'vitest';
import { aGraphOf, eventsOf, hasStatus, postRun, startRun } from '../support/readers/api-runs.ts';
import { anAgent, startAgent, useAgentStack } from '../support/servers/agent-stack.ts';
import { askFor, toolsOfferedTo, requestsOf, say, toolResultsSentTo } from '../support/builders/chat-model.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { errorsIn } from '../support/readers/problems.ts';

const { stack, model, service, user, get, until } = useAgentStack();

/** A channel that keeps the conversation. */
const CHAT = { channels: { answer: {}, given: {}, chat: { reducer: 'messages' } } } as const;
const hello = { chat: [{ role: 'user', content: 'Do both.' }] };

describe('an agent', () => {
  test('an agent calls tools and returns their results to the model each turn until the model answers', async () => {
    model().answers(askFor([['look', { job: 'a' }]]), askFor([['work', { job: 'b' }]]), say('Both are done.'));
    expect(await startAgent(user())).toMatchObject({
      status: 'completed',
      output: {
        answer: {
          text: 'Both are done.',
          object: null,
          toolCalls: [],
          message: { role: 'assistant', content: 'Both are done.' },
          usage: { inputTokens: 300, outputTokens: 30 },
          model: 'default',
          iterations: 3,
        },
      },
      usage: { inputTokens: 300, outputTokens: 30, modelCalls: 3, toolCalls: 2 },
    });
    expect([toolResultsSentTo(model(), 0), toolResultsSentTo(model(), 1), toolResultsSentTo(model(), 2)]).toEqual([
      [],
      ['{"job":"a"}'],
      ['{"job":"a"}', '{"job":"b"}'],
    ]);
    expect(service().done).toEqual(['a', 'b']);
  });

  test('an agent runs the calls of one turn in parallel and returns their results in call order', async () => {
    const calls = ['a', 'b', 'c'].map((job) => ['work', { job }] as const);
    model().answers(askFor(calls), say('Done'));
    const held = service().hold('a');
    const { body } = await user().post('/api/runs', { graph: aGraphOf(anAgent()) });
    const release = await held;
    await expect.poll(() => service().done.toSorted()).toEqual(['b', 'c']);
    release();
    await until(textAt(body, '/id'), 'completed');
    expect(service().done.at(-1)).toBe('a');
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}', '{"job":"b"}', '{"job":"c"}']);
  });

  test('an agent records its tool calls, their results and its reply in the channel of messages', async () => {
    const calls = [['work', { job: 'a' }] as const, ['look', { job: 'b' }] as const];
    model().answers(askFor(calls), say('Done'));
    const run = await startRun(user(), aGraphOf(anAgent({ messages: 'chat' }), CHAT), hello);
    expect(listAt(run, '/output/chat')).toMatchObject([
      { role: 'user', content: 'Do both.' },
      {
        role: 'assistant',
        toolCalls: [
          { id: 'call-0', name: 'work', args: { job: 'a' } },
          { id: 'call-1', name: 'look', args: { job: 'b' } },
        ],
      },
      { role: 'tool', toolCallId: 'call-0', name: 'work', content: '{"job":"a"}' },
      { role: 'tool', toolCallId: 'call-1', name: 'look', content: '{"job":"b"}' },
      { role: 'assistant', content: 'Done' },
    ]);
  });

  test.each([
    ['the failure of a tool', ['work', { job: 'a' }], /^Execution failed: work answered 404: a is refused/],
    ['the call of an unknown tool', ['fly', { job: 'a' }], /^Tool not found: fly$/],
    [
      'the call of a tool with invalid arguments',
      ['work', { job: 'a', euros: 'many' }],
      /^Execution failed: The arguments of work break its parameters at \/euros: .*number/,
    ],
  ] as const)('an agent returns %s to the model and continues', async (_what, call, told) => {
    service().refuse('a');
    model().answers(askFor([call, ['look', { job: 'b' }]]), say('I tried.'));
    expect(await startAgent(user())).toMatchObject({ status: 'completed', output: { answer: { text: 'I tried.' } } });
    expect(toolResultsSentTo(model())).toEqual([expect.stringMatching(told), '{"job":"b"}']);
  });

  test('an agent converts numbers and booleans that the model sends as strings in tool arguments', async () => {
    model().answers(askFor([['work', { job: 'a', euros: '12.5', urgent: 'true' }]]), say('Done'));
    const run = await startAgent(user());
    const requested = await eventsOf(user(), textAt(run, '/id'), 'tool.requested');
    expect(requested.map((event) => at(event, '/args'))).toEqual([{ job: 'a', euros: 12.5, urgent: true }]);
  });

  test('an agent neither offers nor calls a tool whose roles the starter of the run lacks', async () => {
    const once = (): void => model().answers(askFor([['vault', { job: 'a' }]]), say('Done'));
    once();
    await startAgent(user());
    expect(toolsOfferedTo(model())[0]).not.toContain('vault');
    expect(toolResultsSentTo(model())).toEqual([
      expect.stringMatching(/^Execution failed: vault may be called by .*support/),
    ]);
    expect(service().calls).toEqual([]);
    model().forget();
    once();
    await startAgent(stack().as('admin'));
    expect(toolsOfferedTo(model())[0]).toContain('vault');
    expect(service().done).toEqual(['a']);
  });

  test('an agent calls tools for maxIterations turns, then answers in one more turn without tools', async () => {
    const again = askFor([['work', { job: 'a' }]]);
    model().answers(again, again, again);
    const run = await startAgent(user(), { maxIterations: 2 });
    expect(run).toMatchObject({
      status: 'completed',
      output: { answer: { iterations: 2, toolCalls: [], message: { content: '' } } },
      usage: { modelCalls: 3, toolCalls: 2 },
    });
    expect(toolsOfferedTo(model()).map(({ length }) => length > 0)).toEqual([true, true, false]);
  });

  test('an agent asks the model to correct an object that violates the output schema', async () => {
    const output = { type: 'object', properties: { paid: { type: 'number' } }, required: ['paid'] };
    model().answers(askFor([['work', { job: 'a' }]]), say('{"paid":"much"}'), say('{"paid":12}'));
    expect(await startAgent(user(), { output })).toMatchObject({
      status: 'completed',
      output: { answer: { object: { paid: 12 }, iterations: 2 } },
      usage: { modelCalls: 3, toolCalls: 1 },
    });
    const last = listAt(requestsOf(model()).at(-1) ?? null, '/messages').at(-1) ?? null;
    expect(last).toMatchObject({ role: 'user', content: expect.stringMatching(/paid.*number/) });
  });

  test('an agent fails when the corrected object still violates the output schema', async () => {
    model().answers(say('no'), say('{}'), say('{"paid":"x"}'));
    const output = { type: 'object', properties: { paid: { type: 'number' } }, required: ['paid'] };
    expect(await startAgent(user(), { output })).toMatchObject({
      status: 'failed',
      error: { code: 'OUTPUT_SCHEMA_VIOLATION', node: 'only' },
    });
  });

  test('an agent records every tool call and its cost in the history of the run', async () => {
    model().answers(
      askFor(
        [
          ['work', { job: 'a' }],
          ['fly', {}],
        ],
        { input: 101, output: 7 },
      ),
      say('Done'),
    );
    const run = await startAgent(user());
    const events = await eventsOf(user(), textAt(run, '/id'));
    expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, index) => index + 1));
    const told = events.filter((event) => /^(?:model|tool)\./.test(textAt(event, '/type')));
    const key = textAt(told[1] ?? null, '/idempotencyKey');
    expect(told).toMatchObject([
      {
        type: 'model.called',
        node: 'only',
        model: 'default',
        usage: { inputTokens: 101, outputTokens: 7 },
        costUsd: 0.000019,
        finishReason: 'tool-calls',
        toolCalls: 2,
      },
      { type: 'tool.requested', node: 'only', tool: 'work', args: { job: 'a' } },
      { type: 'tool.called', node: 'only', tool: 'work', result: { job: 'a' }, attempts: 1, idempotencyKey: key },
      { type: 'model.called', node: 'only', finishReason: 'stop' },
    ]);
    expect(service().calls).toEqual([{ job: 'a', key }]);
  });
});

describe('an llm node with tools, and a tool node with calls', () => {
  const graph = {
    channels: { chat: { reducer: 'messages' } },
    nodes: {
      ask: { type: 'llm', messages: 'chat', tools: ['work', 'look'] },
      act: { type: 'tool', calls: 'chat', tools: ['work', 'look'], retry: { maxAttempts: 1 } },
    },
    edges: [
      { from: '__start__', to: 'ask' },
      {
        from: 'ask',
        branches: [{ when: 'size(state.chat.last().?toolCalls.orValue([])) > 0', to: 'act' }, { to: '__end__' }],
      },
      { from: 'act', to: 'ask' },
    ],
    name: 'by-hand',
  };

  test('an llm node with tools and a tool node with calls run the same loop as an agent node', async () => {
    service().refuse('c');
    const calls = ['a', 'b', 'c'].map((job) => ['work', { job }] as const);
    model().answers(askFor(calls), say('Done'));
    const { body } = await postRun(user(), { graph, input: hello });
    expect(body).toMatchObject({ status: 'completed', usage: { modelCalls: 2, toolCalls: 3 } });
    expect(toolResultsSentTo(model())).toEqual([
      '{"job":"a"}',
      '{"job":"b"}',
      expect.stringMatching(/^Execution failed: .*404/),
    ]);
    expect(listAt(body, '/output/chat').map((message) => at(message, '/role'))).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'assistant',
    ]);
  });
});

test('an agent node is validated and published like any other node', async () => {
  const channels = { answer: {} };
  const { status, body } = await user().post('/api/graphs', { ...aGraphOf(anAgent()), name: 'helper', channels });
  expect({ status, warnings: at(body, '/warnings') }).toEqual({ status: 201, warnings: [] });
  model().answers(say('Hello'));
  expect(await startRun(user(), 'helper')).toSatisfy(hasStatus('completed'));
  const wrong = anAgent({ tools: ['wrk'], maxIterations: 0, approve: { wrk: 'always', look: 'args.' } });
  expect(errorsIn(await user().post('/api/graphs/validate', aGraphOf(wrong)))).toEqual([
    'INVALID_EXPRESSION /nodes/only/approve/look',
    'INVALID_FIELD /nodes/only/maxIterations',
    'UNKNOWN_TOOL /nodes/only/approve/look',
    'UNKNOWN_TOOL /nodes/only/tools/0',
  ]);
  expect(await get('/api/graphs/helper')).toMatchObject({ version: 1 });
});
