import { describe, expect, test } from 'vitest';
import { capDeadline } from '../../../src/graph/definition/call-policy.ts';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { TaskInput } from '../../../src/graph/nodes/behavior.ts';
import { compileBehavior } from '../../../src/graph/nodes/node-compilers.ts';
import { createToolbox } from '../../../src/graph/nodes/tool-calls/callable-tool.ts';
import { resumeCall } from '../../../src/graph/nodes/tool-calls/resume-call.ts';
import { batchAnswers } from '../../../src/graph/nodes/tool-calls/run-batch.ts';
import { isCallReply } from '../../../src/graph/run/call.ts';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import { EMPTY_CONVERSATION } from '../../../src/graph/run/model-turn.ts';
import type { ResumablePosition, NodePosition } from '../../../src/graph/run/scope.ts';
import type { BatchCall } from '../../../src/graph/run/tool-batch.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CHANNELS, asks, play, playAgent, says } from '../../support/builders/agents.ts';
import { aCatalog } from '../../support/builders/builders.ts';
import { aPolicy } from '../../support/builders/call-builders.ts';
import { IDLE_TASK } from '../../support/doubles/idle-task.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

const by = { sub: 'ada', roles: ['approver'] };
const agent: NodeDefinition = { type: 'agent', prompt: 'x', tools: ['lookup'] };
const calls: NodeDefinition = { type: 'tool', calls: 'chat', tools: ['lookup', 'charge', 'notify'] };
const call: BatchCall = {
  id: 'c',
  name: 'lookup',
  tool: 'lookup',
  args: {},
  isEdited: false,
  number: 0,
  takeover: 0,
  state: { phase: 'ready', isApproved: true },
};

const behaviorOf = (node: NodeDefinition) =>
  compileBehavior(node, { id: 'n', catalog: aCatalog(), nodes: {}, defaults: {}, subgraph: null, graphTools: {} });
const atCalls = (batch: readonly BatchCall[]): ResumablePosition => ({ kind: 'calls', batch, callsMade: 1 });
const atAgent: ResumablePosition = {
  kind: 'agent',
  conversation: EMPTY_CONVERSATION,
  stage: { kind: 'asking' },
  iterations: 0,
};
const TURN = { kind: 'turn', turn: { key: 'k', model: 0, corrections: [], summarizing: null }, isLast: false } as const;

describe('a task whose position does not fit its node', () => {
  const capacity: TaskInput = { kind: 'capacity' };

  test.each<[NodeDefinition, ResumablePosition]>([
    [agent, atCalls([])],
    [calls, atAgent],
  ])('a task of the node %j whose position does not fit the node throws an error', (node, position) => {
    const behavior = behaviorOf(node);
    for (const act of [
      () => behavior.restart?.(IDLE_TASK, position),
      () => behavior.updateSaved?.(IDLE_TASK, position, capacity),
      () => behavior.resume(IDLE_TASK, position, capacity),
    ])
      expect(act).toThrow(TypeError);
  });

  test.each<[NodeDefinition, NodePosition]>([
    [agent, { ...atAgent, stage: TURN }],
    [
      { type: 'tool', tool: 'lookup' },
      { kind: 'approval', approvalId: 'a', timerId: 't' },
    ],
  ])('a task of the node %j that waits for another input throws an error when capacity arrives', (node, position) => {
    expect(() => behaviorOf(node).resume(IDLE_TASK, position, capacity)).toThrow(TypeError);
  });

  test('a task whose position does not fit its node is not a failure of the node', () => {
    const hasCapacity = () => {
      throw new Error('Nothing is asked for');
    };
    const restart = () => behaviorOf(calls).restart?.({ ...IDLE_TASK, hasCapacity }, atCalls([call]));
    expect(restart).toThrow('Nothing is asked');
  });

  test('a task at the call of a tool that no longer exists reports this', () => {
    const progress = behaviorOf(calls).restart?.(IDLE_TASK, atCalls([{ ...call, tool: 'gone' }]));
    expect(progress).toMatchObject({ kind: 'done', result: [{ content: 'Tool not found: gone' }] });
  });
});

test('an input that no tool call of an agent waits for leaves the agent unchanged', () => {
  const context = { task: IDLE_TASK, tools: { find: () => null, activeNames: () => [] }, leftMs: () => null };
  expect(resumeCall(context, { call, callsMade: 1 }, { kind: 'event', payload: null })).toEqual({ call, callsMade: 1 });
  expect(resumeCall(context, { call, callsMade: 1 }, { kind: 'call.repeated', number: 0 })).toEqual({
    call,
    callsMade: 1,
  });
});

test('a tool call that receives an unexpected input is still answered to the model', () => {
  const context = { task: IDLE_TASK, tools: { find: () => null, activeNames: () => [] }, leftMs: () => null };
  const stateAfter = (input: TaskInput): unknown => resumeCall(context, { call, callsMade: 1 }, input).call.state;
  const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } } as const;
  expect(stateAfter({ kind: 'call.failed', key: 'k', failure })).toMatchObject({ content: 'Execution failed: no' });
  const reply = { kind: 'overflow', messages: 1 } as const;
  expect(stateAfter({ kind: 'call.completed', key: 'k', reply })).toMatchObject({ content: 'Success' });
  expect(stateAfter({ kind: 'timer', id: 't' })).toMatchObject({ phase: 'answered' });
  const [approval] = Object.values(
    playAgent({ approve: { lookup: 'always' } }, { replies: [asks(['lookup', { key: 'a' }])] }).run.run.approvals,
  );
  if (!approval) throw new TypeError('Somebody is asked');
  expect(stateAfter({ kind: 'approval.closed', approval })).toMatchObject({ phase: 'answered' });
});

test('the onFailure of a tool may name a tool that no longer exists', () => {
  const catalog = aCatalog();
  const { charge } = catalog.tools;
  if (!charge) throw new TypeError('The catalog has a tool charge');
  const tools = { charge: { ...charge, onFailure: 'gone' } };
  const caller = {
    node: {},
    settings: { id: 'n', catalog: { ...catalog, tools }, nodes: {}, defaults: {}, subgraph: null, graphTools: {} },
    approve: {},
    asksForUnsafe: false,
  };
  const toolbox = createToolbox(['charge'], caller, () => ['charge']);
  const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } } as const;
  const progress = { call: { ...call, tool: 'charge' }, callsMade: 1 };
  const after = resumeCall({ task: IDLE_TASK, tools: toolbox, leftMs: () => null }, progress, {
    kind: 'call.failed',
    key: 'k',
    failure,
  });
  expect(after.call.state).toMatchObject({ content: 'Execution failed: no' });
});

test('a missing answer of a model counts as an empty text', () => {
  expect(batchAnswers([call])).toEqual([{ role: 'tool', toolCallId: 'c', name: 'lookup', content: '' }]);
});

test.each([
  [null, 5, 5],
  [3, 5, 3],
  [9, 5, 5],
  [9, null, 9],
])('a node with the deadline %j and the remaining time %j ends after %j', (deadlineMs, leftMs, ms) => {
  expect(capDeadline(aPolicy({ deadlineMs }), leftMs).deadlineMs).toBe(ms);
});

test.each<[Json, boolean]>([
  [{ kind: 'overflow', messages: 2 }, true],
  [{ kind: 'overflow', messages: 'two' }, false],
  [{ kind: 'other', messages: 2 }, false],
  [{ kind: 'model', text: '' }, true],
  [{ kind: 'value' }, false],
  [null, false],
])("the value %j is recognized as a model's reply about an exceeded context: %j", (value, is) => {
  expect(isCallReply(value)).toBe(is);
});

describe('a call', () => {
  test('a call is made by the workers of the task queue of its tool', () => {
    const { calls: made } = playAgent(
      {},
      { replies: [asks(['lookup', { key: 'a' }]), 'x'], tools: { lookup: { taskQueue: 'far' } } },
    );
    expect(made).toMatchObject([{ taskQueue: 'far' }]);
  });

  test('the call of a tool node is not made if the run lacks a role of the tool', () => {
    const node: NodeDefinition = { type: 'tool', tool: 'lookup', args: { key: 'a' } };
    const { run } = play({ replies: [], tools: { lookup: { roles: ['boss'] } }, graph: { nodes: { a: node } } });
    expect(run.run.error).toMatchObject({ code: 'TOOL_FAILED', message: 'lookup may be called by runs of boss only' });
  });

  test('a model call records its messages, and reserves budgets beside calls that cost nothing', () => {
    const context = { tokens: 5, maxTokens: 9, dropped: 1 };
    const nodes: GraphDefinition['nodes'] = {
      a: { type: 'function', function: 'double' },
      b: { type: 'llm', prompt: 'x' },
    };
    const { run } = play({
      replies: [says('x', { context })],
      graph: { nodes, edges: [{ from: '__start__', to: ['a', 'b'] }] },
      limits: { maxTokens: 100 },
      catalog: { models: {} },
      outside: { function: () => 1 },
    });
    expect(run.run.status).toBe('completed');
    expect(run.events.find(({ type }) => type === 'model.called')).toMatchObject({ context });
  });
});

test('a model call that was open at the deadline is repeated under its key', () => {
  let isHeld = true;
  const { run, keys } = playAgent(
    {},
    {
      replies: ['late', 'x'],
      graph: { limits: { deadline: '1m' } },
      outside: { next: () => (isHeld ? null : 0) },
    },
  );
  run.passTime(61_000);
  isHeld = false;
  run.passTime(1);
  expect(run.run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
  run.reopen('retry');
  expect([run.run.status, keys]).toEqual(['completed', ['run-1:a:1:0:0', 'run-1:a:1:0:0']]);
});

describe('a result that returns after its node has failed', () => {
  const lost = new CallFailure('UNKNOWN_OUTCOME', 'lost');

  test.each<[string, NodeDefinition]>([
    ['an agent', { ...agent, tools: ['lookup', 'charge'] }],
    ['a node with calls', calls],
  ])('a result that returns after its node has failed is stored by a node of type %s', (_name, node) => {
    const toolCalls = asks(['lookup', { key: 'a' }], ['charge', { key: 'b' }]).toolCalls;
    const chat = {
      reducer: 'messages',
      default: [{ id: 'm', role: 'assistant', content: '', toolCalls: [...toolCalls] }],
    } as const;
    let isHeld = true;
    const next = (out: readonly CallEffect[]): number | null =>
      isHeld && out[0]?.request.kind === 'tool' && out[0].request.tool === 'charge' ? null : 0;
    const played = play({
      replies: [says('', { toolCalls }), 'done'],
      graph: { channels: { ...CHANNELS, chat }, nodes: { a: node } },
      tool: ({ tool }) => {
        if (tool === 'lookup') throw lost;
        return 'charged';
      },
      outside: { next },
    });
    played.run.signal('fail', { by });
    expect(played.run.run.status).toBe('running');
    isHeld = false;
    played.run.passTime(1);
    expect(played.run.run.status).toBe('failed');
    played.run.reopen('retry');
    played.run.signal('skip', { output: 'looked', by });
    expect([played.run.run.status, played.calls.length]).toEqual(['completed', 2]);
  });
});
