import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { ToolEntry } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { pinCatalog } from '../../src/graph/definition/pin-catalog.ts';
import { toMermaid } from '../../src/graph/diagram/write-diagram.ts';
import type { ToolCallRequest } from '../../src/graph/run/effect.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { validateGraph } from '../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { asks, breaks, pays, undoEventsOf } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';
import { shown } from '../support/readers/shown-run.ts';

const saysGoodbye: NodeDefinition = {
  type: 'tool',
  tool: 'lookup',
  args: { key: 'goodbye' },
  write: { log: 'goodbye' },
};

/** Answers like a shop. Keys that begin with "break" fail. */
function play(definition: GraphDefinition, input = {}): { run: MemoryRun; calls: string[]; keys: string[] } {
  const calls: string[] = [];
  const keys: string[] = [];
  const tool = ({ tool: name, args }: ToolCallRequest, key: string): Json => {
    const text = JSON.stringify(args);
    calls.push(`${name} ${text}`);
    keys.push(key);
    if (text.includes('break')) throw new CallFailure('TOOL_FAILED', 'broken');
    return { receipt: JSON.parse(text).key };
  };
  return { run: runInMemory({ definition, catalog: aCatalog(), input }, { tool }), calls, keys };
}

describe('compensations of a failed run', () => {
  const { run, calls, keys } = play(aDefinition({ nodes: { a: pays('one'), b: pays('two'), c: breaks } }));

  test('a failed run compensates its calls, latest first, with the recorded results', () => {
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED', node: 'c' } });
    expect(calls.slice(3)).toEqual(['notify {"key":"back two"}', 'notify {"key":"back one"}']);
  });

  test('a failed run calls the workers of the compensating tool', () => {
    const catalog = aCatalog();
    const notify: ToolEntry = { description: 'Notify', parameters: {}, effect: 'keyed', taskQueue: 'mail' };
    const queues: string[] = [];
    const tool = ({ tool: name, taskQueue = '-' }: ToolCallRequest): Json => {
      queues.push(taskQueue);
      if (name === 'lookup') throw new CallFailure('TOOL_FAILED', 'broken');
      return { receipt: 'one' };
    };
    const definition = aDefinition({ nodes: { a: pays('one'), c: breaks } });
    runInMemory({ definition, catalog: { ...catalog, tools: { ...catalog.tools, notify } }, input: {} }, { tool });
    expect(queues).toEqual(['-', '-', 'mail']);
  });

  test('a failed run records its compensations as events', () => {
    expect(undoEventsOf(run)).toEqual([
      'compensation.requested b',
      'node.compensated b',
      'compensation.requested a',
      'node.compensated a',
    ]);
    expect(run.events.at(-1)?.type).toBe('run.failed');
    expect(run.run.spent.toolCalls).toBe(5);
  });

  test('a failed run compensates each call under its own key', () => {
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.slice(3)).toEqual([`${keys[1]}:undo`, `${keys[0]}:undo`]);
  });
});

test('a failed run compensates each element of a list, in subgraphs and loops as well', () => {
  const inside = aDefinition({
    name: 'inside',
    channels: { items: { default: ['x', 'y'] } },
    nodes: { each: pays('{{ item }}') },
    edges: [{ from: '__start__', forEach: 'state.items', to: 'each' }],
  });
  const { run, calls } = play(aDefinition({ nodes: { sub: { type: 'subgraph', graph: inside }, c: breaks } }));
  expect(calls.slice(3)).toEqual(['notify {"key":"back y"}', 'notify {"key":"back x"}']);
  expect(run.events).toContainEqual(
    expect.objectContaining({ type: 'node.compensated', node: 'each', index: 1, path: ['sub'] }),
  );
});

describe('a compensation that is impossible', () => {
  const badly = { ...pays('one'), compensate: { tool: 'notify', args: { key: 'break it' } } };

  test('a compensation that can not be called is reported, and the others are made', () => {
    const { run, calls } = play(aDefinition({ nodes: { a: pays('one'), b: badly, c: breaks } }));
    expect(calls.slice(3)).toEqual(['notify {"key":"break it"}', 'notify {"key":"back one"}']);
    expect(run.run.error).toMatchObject({
      code: 'TOOL_FAILED',
      cause: { code: 'COMPENSATION_FAILED', message: 'Not compensated: b: broken' },
    });
  });

  test('a compensation with invalid arguments is not called', () => {
    const unfilled = { ...pays('one'), compensate: { tool: 'notify', args: { key: '{{ result.nope }}' } } };
    const { run, calls } = play(aDefinition({ nodes: { a: unfilled, c: breaks } }));
    expect(calls).toHaveLength(2);
    expect(undoEventsOf(run)).toEqual(['compensation.failed a']);
  });

  test('a compensation whose tool no longer exists is not called', () => {
    const { run } = play(aDefinition({ nodes: { a: { ...pays('one'), compensate: { tool: 'gone' } }, c: breaks } }));
    expect(run.run.error?.cause?.message).toBe('Not compensated: a: Tool not found: gone');
  });
});

test('a run compensates no call if it completes, even after a handled failure', () => {
  const handled: NodeDefinition = { ...breaks, onError: { to: 'd' } };
  const { run, calls } = play(
    aDefinition({ nodes: { a: pays('one'), c: handled, d: { type: 'set', write: { log: 'd' } } } }),
  );
  expect([run.run.status, calls.length]).toEqual(['completed', 2]);
});

describe('a subgraph whose failure is handled', () => {
  const inside = aDefinition({ name: 'inside', nodes: { book: pays('one'), pay: breaks } });
  const graph = (after: NodeDefinition): GraphDefinition =>
    aDefinition({ nodes: { trip: { type: 'subgraph', graph: inside, onError: { to: 'after' } }, after } });

  test('the calls of a subgraph whose failure is handled are not compensated when the run continues', () => {
    const { run, calls } = play(graph({ type: 'set', write: { log: 'after' } }));
    expect([run.run.status, undoEventsOf(run), calls.length]).toEqual(['completed', [], 2]);
  });

  test('the calls of a subgraph whose failure is handled are compensated with the others if the run fails later', () => {
    const { run, calls } = play(graph(breaks));
    expect([run.run.status, calls.slice(3)]).toEqual(['failed', ['notify {"key":"back one"}']]);
    expect(run.run.compensation.undone).toEqual({ since: 0, nodes: ['trip/book'] });
  });
});

describe('a run that is canceled', () => {
  const definition = aDefinition({
    nodes: { a: pays('one'), ask: asks, bye: saysGoodbye, last: breaks },
    onCancel: 'bye',
  });

  test('a canceled run compensates its calls, then runs the onCancel node of its graph, and nothing else', () => {
    const { run, calls } = play(definition);
    run.signal('cancel', { reason: 'enough' });
    expect(calls).toEqual(['charge {"key":"one"}', 'notify {"key":"back one"}', 'lookup {"key":"goodbye"}']);
    expect(run.run).toMatchObject({ status: 'canceled', root: { channels: { log: ['goodbye'] } } });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.canceled', reason: 'enough' });
    expect(run.checkpoints.at(-1)?.next).toEqual([]);
  });

  test('a canceled run executes the subgraph of its onCancel node to the end, past breakpoints in it', () => {
    const [first, second] = ['first', 'second'].map((key) => ({ ...saysGoodbye, args: { key } }));
    const graph = aDefinition({
      name: 'goodbyes',
      nodes: { first: first ?? saysGoodbye, second: second ?? saysGoodbye },
      interruptBefore: ['second'],
      interruptAfter: ['first'],
    });
    const nodes = { ask: asks, bye: { type: 'subgraph' as const, graph } };
    const { run, calls } = play(aDefinition({ nodes, onCancel: 'bye' }));
    run.signal('cancel', {});
    expect(calls).toEqual(['lookup {"key":"first"}', 'lookup {"key":"second"}']);
    expect(run.run.status).toBe('canceled');
    expect(run.events.at(-2)).toMatchObject({ type: 'checkpoint.saved' });
  });

  test('a canceled run ends as canceled when its onCancel node fails', () => {
    const { run } = play({ ...definition, onCancel: 'last' });
    run.signal('cancel', {});
    expect(run.run).toMatchObject({ status: 'canceled', error: null });
    expect(run.events.map(({ type }) => type)).toContain('node.failed');
  });

  test('a canceled run without calls compensates nothing', () => {
    const { run, calls } = play(aDefinition({ nodes: { ask: asks, a: pays('one') } }));
    run.signal('cancel', {});
    expect([run.run.status, calls]).toEqual(['canceled', []]);
  });

  test('a canceled run compensates an open call too, if the call was made', () => {
    const graph = compileGraph(aDefinition({ nodes: { a: pays('one') } }), aCatalog());
    const limits = limitsOfGraph({}, DEFAULTS);
    const createdBy = { sub: 'uma', roles: [] };
    const named = { name: 'test', version: null, hash: 'h' };
    const identity = { id: 'r', tenantId: 't', threadId: null, graph: named, createdBy, limits };
    const begun = startRun(graph, identity, { input: {}, startedAt: 0 });
    const canceled = advance(graph, begun.run, { kind: 'cancel.requested', at: 1 });
    const [key = ''] = Object.keys(canceled.run.calls);
    const answer = { reply: { kind: 'value', value: { receipt: 'r1' } }, attempts: 1, durationMs: 1 } as const;
    const paid = advance(graph, canceled.run, { kind: 'call.completed', key, ...answer, at: 2 });
    expect(paid.effects).toMatchObject([{ kind: 'call', request: { tool: 'notify', args: { key: 'back r1' } } }]);
    const over = advance(graph, paid.run, { kind: 'call.completed', key: `${key}:undo`, ...answer, at: 3 });
    expect(shown(over.run).status).toBe('canceled');
  });
});

test('a running compensation is not aborted when its run is canceled', () => {
  const graph = compileGraph(aDefinition({ nodes: { a: pays('one'), c: breaks } }), aCatalog());
  const limits = limitsOfGraph({}, DEFAULTS);
  const named = { name: 'test', version: null, hash: 'h' };
  const identity = {
    id: 'r',
    tenantId: 't',
    threadId: null,
    graph: named,
    createdBy: { sub: 'uma', roles: [] },
    limits,
  };
  const begun = startRun(graph, identity, { input: {}, startedAt: 0 });
  const keyIn = ({ calls }: Run): string => Object.keys(calls)[0] ?? '';
  const reply = { kind: 'value', value: { receipt: 'r1' } } as const;
  const answered = (run: Run) =>
    advance(graph, run, { kind: 'call.completed', key: keyIn(run), reply, attempts: 1, durationMs: 1, at: 2 });
  const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'broken' } } as const;
  const paid = answered(begun.run).run;
  const undoing = advance(graph, paid, { kind: 'call.failed', key: keyIn(paid), failure, at: 3 }).run;
  const canceled = advance(graph, undoing, { kind: 'cancel.requested', at: 4 });
  expect(canceled.effects).toEqual([]);
  const over = answered(canceled.run);
  expect(shown(over.run)).toMatchObject({
    status: 'canceled',
    compensation: { undone: { nodes: ['a'] }, failures: [] },
  });
});

describe('a definition', () => {
  const within = (node: NodeDefinition): NodeDefinition => ({
    type: 'subgraph',
    graph: aDefinition({ name: 'inside', nodes: { inner: node } }),
  });
  const naps = aDefinition({ name: 'naps', nodes: { nap: { type: 'wait', for: '1s' } } });
  const issuesOf = (over: Partial<GraphDefinition>): string[] =>
    validateGraph(toJson(aDefinition(over)), aCatalog({ graphs: { 'naps@1': naps } })).map(
      ({ code, path }) => `${code} ${path}`,
    );

  test.each([
    [{ nodes: { a: { ...pays('k'), compensate: { tool: 'nowhere' } } } }, ['UNKNOWN_TOOL /nodes/a/compensate/tool']],
    [
      { nodes: { a: { ...pays('k'), compensate: { tool: 'lookup', args: { key: '{{ error.code }}' } } } } },
      ['INVALID_TEMPLATE /nodes/a/compensate/args/key'],
    ],
    [{ nodes: { a: pays('k') }, onCancel: 'b' }, ['UNKNOWN_NODE /onCancel']],
    [{ nodes: { a: asks }, onCancel: 'a' }, ['INVALID_FIELD /onCancel']],
    [{ nodes: { a: within(asks) }, onCancel: 'a' }, ['INVALID_FIELD /onCancel']],
    [{ nodes: { a: within(within({ type: 'wait', for: '1s' })) }, onCancel: 'a' }, ['INVALID_FIELD /onCancel']],
    [{ nodes: { a: { type: 'subgraph', graph: 'naps@1' } }, onCancel: 'a' }, ['INVALID_FIELD /onCancel']],
    [{ nodes: { a: within(saysGoodbye) }, onCancel: 'a' }, []],
  ] satisfies [Partial<GraphDefinition>, string[]][])('a compensation %j has the issues %j', (over, issues) => {
    expect(issuesOf(over).filter((issue) => !issue.startsWith('UNUSED'))).toEqual(issues);
  });

  test('a definition may have a node that only a cancellation reaches', () => {
    const nodes = { a: pays('k'), bye: saysGoodbye };
    expect(issuesOf({ nodes, edges: [{ from: '__start__', to: 'a' }], onCancel: 'bye' })).toEqual([]);
  });

  test('a graph pins its compensating tools, and its diagram contains them', () => {
    const definition = aDefinition({ nodes: { a: pays('k') }, onCancel: 'a' });
    expect(Object.keys(pinCatalog(definition, aCatalog()).tools)).toEqual(['charge', 'notify']);
    expect(toMermaid(definition)).toContain('compensated by#58; notify<br/>runs last when canceled');
  });
});
