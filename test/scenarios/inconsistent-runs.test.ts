import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { TaskInput } from '../../src/graph/nodes/behavior.ts';
import { compileBehavior } from '../../src/graph/nodes/node-compilers.ts';
import { EMPTY_CONVERSATION } from '../../src/graph/run/model-turn.ts';
import type { NodePosition } from '../../src/graph/run/scope.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { addsNames } from '../support/builders/runs.ts';
import { IDLE_TASK } from '../support/doubles/idle-task.ts';
import { shown } from '../support/readers/shown-run.ts';

function compile(node: NodeDefinition, graph = aDefinition()) {
  const catalog = aCatalog();
  const subgraph = compileGraph(graph, catalog);
  return compileBehavior(node, { id: 'n', catalog, nodes: {}, defaults: {}, subgraph, graphTools: {} });
}

const CALL: NodePosition = { kind: 'call', key: 'k', args: null };
const LLM = {
  kind: 'llm',
  conversation: EMPTY_CONVERSATION,
  turn: { key: 'k', model: 0, corrections: [], summarizing: null },
} as const satisfies NodePosition;
const WAIT: NodePosition = { kind: 'wait', event: 'go', timerId: null, since: '', deadline: null };
const APPROVAL: NodePosition = { kind: 'approval', approvalId: 'a', timerId: 't' };

const model = {
  kind: 'model',
  text: 'x',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 0, outputTokens: 0 },
} as const;
const TIMER: TaskInput = { kind: 'timer', id: 't' };
const REPLY: TaskInput = { kind: 'call.completed', key: 'k', reply: model };
const VALUE: TaskInput = { kind: 'call.completed', key: 'k', reply: { kind: 'value', value: 1 } };

const thinks: NodeDefinition = { type: 'llm', prompt: 'x' };
const asks: NodeDefinition = { type: 'approval', title: 'May I?' };
const computes: NodeDefinition = { type: 'function', function: 'double' };
const pays: NodeDefinition = { type: 'tool', tool: 'charge' };
const waits: NodeDefinition = { type: 'wait', event: 'go' };
const nests: NodeDefinition = { type: 'subgraph', graph: aDefinition() };

test.each([
  [{ type: 'set' }, CALL, VALUE],
  [pays, CALL, TIMER],
  [pays, CALL, REPLY],
  [computes, CALL, TIMER],
  [computes, CALL, REPLY],
  [thinks, CALL, REPLY],
  [thinks, LLM, TIMER],
  [thinks, LLM, VALUE],
  [asks, CALL, TIMER],
  [asks, APPROVAL, VALUE],
  [waits, CALL, TIMER],
  [waits, WAIT, VALUE],
  [nests, CALL, TIMER],
] satisfies [NodeDefinition, NodePosition, TaskInput][])(
  'a task that receives an input which it does not wait for throws an error: %j at %j with %j',
  (...[node, position, happening]) => {
    expect(() => compile(node).resume(IDLE_TASK, position, happening)).toThrow(
      `A task at position "${position.kind}" was given what it does not wait for`,
    );
  },
);

describe('a node that can not exist in a valid run', () => {
  test('a node fails if its tool no longer exists', () => {
    const progress = compile({ type: 'tool', tool: 'gone' }).resume(IDLE_TASK, CALL, VALUE);
    expect(progress).toMatchObject({ kind: 'failed', failure: { error: { code: 'TOOL_NOT_FOUND' } } });
  });

  test('a subgraph node without a graph is not compiled', () => {
    const scope = { id: 'n', catalog: aCatalog(), nodes: {}, defaults: {}, subgraph: null, graphTools: {} };
    expect(() => compileBehavior(nests, scope)).toThrow(/graph inside/);
  });

  test('an llm node without a model does not start', () => {
    expect(() => compile({ ...thinks, model: [] }).start(IDLE_TASK)).toThrow(/without a model/);
  });

  test('the reply of a model that its node does not list is recorded without a model name', () => {
    const progress = compile(thinks).resume(IDLE_TASK, { ...LLM, turn: { ...LLM.turn, model: 5 } }, REPLY);
    expect(progress).toMatchObject({ kind: 'done', result: { text: 'x', model: null } });
  });
});

describe('a run that does not fit its graph fails and stays readable', () => {
  const graph = compileGraph(aDefinition({ nodes: { ask: { ...asks, type: 'approval', title: 'x' } } }), aCatalog());
  const { run } = startRun(graph, IDENTITY, { input: {}, startedAt: 0 });

  test('a run fails and stays readable if its start node does not exist', () => {
    const lost = startRun(graph, IDENTITY, { input: {}, startedAt: 0, startAt: 'nowhere' });
    expect(shown(lost.run)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(shown(lost.run).error?.message).toContain('has no node "nowhere"');
  });

  test('a run fails and stays readable if it continues with another graph', () => {
    const other = compileGraph(aDefinition({ nodes: addsNames('b') }), aCatalog());
    const { error } = shown(advance(other, run, { kind: 'continue', at: 1 }).run);
    expect(error).toMatchObject({ code: 'INTERNAL' });
  });

  test('a run fails and stays readable if the approval that its timer refers to does not exist', () => {
    const [id = ''] = Object.keys(run.timers);
    const { error } = shown(advance(graph, { ...run, approvals: {} }, { kind: 'timer', id, at: 1 }).run);
    expect(error).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('no approval "run-1.a1"') });
  });
});
