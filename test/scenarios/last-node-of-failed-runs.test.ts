import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun as beginRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toMermaid } from '../../src/graph/diagram/write-diagram.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import { validateGraph } from '../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { gives, functionsThatGive, logOf, startRun, typesOf } from '../support/builders/runs.ts';
import { asks, pays } from '../support/builders/undoing.ts';
import { allWork, breakable, works } from '../support/doubles/breakable.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';
import { shown } from '../support/readers/shown-run.ts';

const chain = (...ids: readonly string[]): Pick<GraphDefinition, 'edges'> => ({
  edges: ids.map((to, at) => ({ from: ids[at - 1] ?? '__start__', to })),
});

/** Runs `a` and `b` in a chain, and `tell` after a failure. */
const telling = (over: Partial<GraphDefinition> = {}): Partial<GraphDefinition> => ({
  nodes: allWork('a', 'b', 'tell'),
  ...chain('a', 'b'),
  onFail: 'tell',
  ...over,
});

const eventsAfter = (run: MemoryRun, type: string): string[] => {
  const types = typesOf(run);
  return types.slice(types.indexOf(type) + 1);
};

describe('the onFail node of a failed run', () => {
  test('a failed run compensates its calls, then runs its onFail node once, then ends with the error', () => {
    const made: string[] = [];
    const tool: Outside['tool'] = ({ tool: name, args }) => {
      made.push(`${name} ${JSON.stringify(args)}`);
      if (JSON.stringify(args).includes('break')) throw new CallFailure('TOOL_FAILED', 'broken');
      return { receipt: 'one' };
    };
    const run = startRun(telling({ nodes: { a: pays('one'), b: works('break'), tell: works('told') } }), { tool });
    expect(made).toEqual([
      'charge {"key":"one"}',
      'charge {"key":"break"}',
      'notify {"key":"back one"}',
      'charge {"key":"told"}',
    ]);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED', node: 'b', message: 'broken' } });
    expect(eventsAfter(run, 'node.compensated')).toEqual([
      'step.started',
      'node.started',
      'tool.requested',
      'tool.called',
      'node.completed',
      'checkpoint.saved',
      'run.failed',
    ]);
  });

  test('a completed run does not run its onFail node', () => {
    const { outside, calls } = breakable();
    expect(startRun(telling(), outside).run.status).toBe('completed');
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0']);
  });

  test('a failure that onError handles does not run the onFail node', () => {
    const { outside, calls } = breakable('a');
    const nodes = { ...allWork('b', 'tell'), a: works('a', { onError: { to: 'b' } }) };
    expect(startRun(telling({ nodes, ...chain('a') }), outside).run.status).toBe('completed');
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0']);
  });

  test('the edges of an onFail node do not fire', () => {
    const { outside, calls } = breakable('a');
    const edges = [...chain('a', 'b').edges, { from: 'tell', to: 'b' }];
    expect(startRun(telling({ edges }), outside).run.status).toBe('failed');
    expect(calls).toEqual(['a:1:0:0', 'tell:1:0:0']);
  });

  test('an onFail node that fails is recorded, and does not replace the error or run again', () => {
    const { outside, calls } = breakable('a', 'tell');
    const run = startRun(telling(), outside);
    expect([run.run.error?.node, calls]).toEqual(['a', ['a:1:0:0', 'tell:1:0:0']]);
    expect(run.events.flatMap((event) => (event.type === 'node.failed' ? [event.node] : []))).toEqual(['a', 'tell']);
  });

  test('an onFail node asks no person to approve its call, and does not block the run', () => {
    const catalog = aCatalog();
    const notify = { description: 'Notify', parameters: {}, effect: 'unsafe', approval: 'always' } as const;
    const tell: NodeDefinition = { type: 'tool', tool: 'notify', args: {} };
    const run = runInMemory(
      {
        definition: aDefinition(telling({ nodes: { ...allWork('a', 'b'), tell } })),
        catalog: { ...catalog, tools: { ...catalog.tools, notify } },
        input: {},
      },
      breakable('a').outside,
    );
    expect([run.run.status, run.run.approvals]).toEqual(['failed', {}]);
    expect(run.events.findLast(({ type }) => type === 'node.failed')).toMatchObject({
      node: 'tell',
      error: { code: 'APPROVAL_REJECTED', message: 'A failed run requests no approval' },
    });
  });

  test('an onFail node runs its subgraph to the end, past breakpoints in it', () => {
    const { outside, calls } = breakable('a');
    const graph = aDefinition({ name: 'inner', nodes: allWork('x', 'y'), interruptBefore: ['y'] });
    const run = startRun(telling({ nodes: { ...allWork('a', 'b'), tell: { type: 'subgraph', graph } } }), outside);
    expect([run.run.status, calls]).toEqual(['failed', ['a:1:0:0', 'tell.1.0/x:1:0:0', 'tell.1.0/y:1:0:0']]);
  });

  test('the onFail of a graph inside is not run: a failure inside is that of the node around it', () => {
    const { outside, calls } = breakable('a');
    const graph = aDefinition({ name: 'inner', ...telling() });
    const run = startRun({ nodes: { sub: { type: 'subgraph', graph } } }, outside);
    expect([run.run.status, calls]).toEqual(['failed', ['sub.1.0/a:1:0:0']]);
  });

  test.each<[string, Partial<GraphDefinition>, Outside, string]>([
    [
      'an edge that fails',
      { edges: [...chain('a').edges, { from: 'a', route: '"x"', paths: { b: 'b' } }] },
      {},
      'INVALID_ROUTE',
    ],
    ['the limit of supersteps', { limits: { maxSteps: 1 } }, {}, 'GRAPH_RECURSION_LIMIT'],
    [
      'a node that aborts',
      { nodes: { ...allWork('b', 'tell'), a: gives({ control: 'abort' }) } },
      functionsThatGive,
      'ABORTED',
    ],
    [
      'a spent budget',
      { limits: { maxToolCalls: 1 }, nodes: { ...allWork('a', 'b'), tell: { type: 'set', write: { log: 'tell!' } } } },
      {},
      'BUDGET_EXCEEDED',
    ],
  ])('a run that fails by %s runs its onFail node', (_, over, also, code) => {
    const run = startRun(telling(over), { ...breakable().outside, ...also });
    expect(run.run).toMatchObject({ status: 'failed', error: { code } });
    expect(run.steps.at(-1)).toEqual(['tell']);
    expect(JSON.stringify(logOf(run))).toContain('tell!');
  });

  test('a budget that is spent holds for the onFail node, too', () => {
    const { outside, calls } = breakable();
    const run = startRun(telling({ limits: { maxToolCalls: 1 } }), outside);
    expect([run.run.error?.node, calls]).toEqual(['b', ['a:1:0:0']]);
    expect(run.events.findLast(({ type }) => type === 'node.failed')).toMatchObject({
      node: 'tell',
      error: { code: 'BUDGET_EXCEEDED' },
    });
  });

  test('the deadline of a run ends before its onFail node', () => {
    const { outside } = breakable();
    const nodes = { ...allWork('a', 'tell'), b: { type: 'wait', event: 'go' } as const };
    const run = startRun(telling({ nodes, limits: { deadline: '1m' } }), outside);
    run.passTime(60_000);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(logOf(run)).toEqual(['a!', 'tell!']);
  });
});

describe('the error that onFail.write passes on', () => {
  const nodes = { ...allWork('a', 'b'), tell: works('{{ state.why }}') };
  const channels = { log: { reducer: 'append' }, why: {} } as const;
  const write = { why: '{{ error.node + ": " + error.code + " " + error.message }}' };

  test('an onFail node reads what onFail.write has made of the error', () => {
    const { outside } = breakable('b');
    const run = startRun(telling({ nodes, channels, onFail: { to: 'tell', write } }), outside);
    expect(logOf(run)).toEqual(['a!', 'b: TOOL_FAILED b is broken!']);
    expect(run.checkpoints.slice(-2).map(({ next }) => next)).toEqual([['tell'], ['b']]);
  });

  test('an onFail.write that fails is recorded, and the node does not run', () => {
    const { outside, calls } = breakable('b');
    const onFail = { to: 'tell', write: { why: '{{ state.log[9] }}' } };
    const run = startRun(telling({ nodes, channels, onFail }), outside);
    expect([run.run.error?.node, calls]).toEqual(['b', ['a:1:0:0', 'b:1:0:0']]);
    expect(run.events.findLast(({ type }) => type === 'node.failed')).toMatchObject({
      node: 'tell',
      error: { code: 'EXPRESSION_FAILED' },
    });
  });
});

describe('a run that has run its onFail node', () => {
  test('a retry continues at the failed node, as without onFail', () => {
    const { outside, broken, calls } = breakable('b');
    const nodes = allWork('a', 'b', 'c', 'tell');
    const edges = [...chain('a').edges, { from: 'a', to: ['b', 'c'] }];
    const run = startRun(telling({ nodes, edges, limits: { maxSteps: 2 } }), outside);
    expect(run.run.error?.node).toBe('b');
    broken.clear();
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'completed', root: { channels: { log: ['a!', 'tell!', 'b!', 'c!'] } } });
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0', 'c:1:0:0', 'tell:1:0:0', 'b:1:0:1']);
  });

  test('a retry that fails again runs the onFail node again, under another key', () => {
    const { outside, calls } = breakable('a');
    const run = startRun(telling(), outside);
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'a' } });
    expect(calls).toEqual(['a:1:0:0', 'tell:1:0:0', 'a:1:0:1', 'tell:2:0:0']);
  });

  test('a skip continues behind the failed node', () => {
    const { outside } = breakable('a');
    const run = startRun(telling(), outside);
    run.reopen('skip', { node: 'a', output: 'by hand' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['tell!', 'by hand', 'b!']]);
  });

  test('a fork at its last checkpoint begins with the failed node', () => {
    const { outside, broken } = breakable('b');
    const run = startRun(telling(), outside);
    broken.clear();
    const fork = run.fork(run.run.checkpointId ?? '');
    expect('code' in fork ? fork : [fork.run.status, logOf(fork)]).toEqual(['completed', ['a!', 'tell!', 'b!']]);
  });

  test('an edit as a node continues after that node', () => {
    const { outside } = breakable('b');
    const run = startRun(telling(), outside);
    run.reopen('edit', { values: {}, asNode: 'b' });
    expect(run.run).toMatchObject({ status: 'failed' });
    run.reopen('replan', { node: 'a' });
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'b' } });
  });
});

describe('a signal while the onFail node runs', () => {
  const held = (): { run: MemoryRun; calls: string[]; release: () => void } => {
    const { outside, calls } = breakable('b');
    let isHeld = true;
    const next: Outside['next'] = (open) => (isHeld && open[0]?.node === 'tell' ? null : 0);
    const run = startRun(telling(), { ...outside, next });
    return { run, calls, release: () => (isHeld = false) };
  };

  test('a run is running while its onFail node runs', () => {
    const { run } = held();
    expect(run.run).toMatchObject({ status: 'running', error: null });
    expect(run.out.map(({ node }) => node)).toEqual(['tell']);
  });

  test.each(['retry', 'pause', 'replan'])('%s is refused while the onFail node runs', (signal) => {
    const { run } = held();
    run.signal(signal, signal === 'replan' ? { node: 'a' } : {});
    expect(run.events.at(-1)).toMatchObject({
      type: 'signal.ignored',
      reason: 'not_allowed_now',
      detail: 'The run is about to fail',
    });
  });

  test('a cancellation during the onFail node ends the run as canceled', () => {
    const { run, release } = held();
    release();
    run.signal('cancel', { reason: 'enough' });
    expect(run.run).toMatchObject({ status: 'canceled' });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.canceled', reason: 'enough' });
  });
});

test('an error that the interpreter throws during the onFail node ends the run with that error and the first one', () => {
  const definition = aDefinition(telling());
  const graph = compileGraph(definition, aCatalog());
  const named = { name: 'test', version: null, hash: 'h' };
  const identity = {
    id: 'r',
    tenantId: 't',
    threadId: null,
    graph: named,
    createdBy: { sub: 'uma', roles: [] },
    limits: limitsOfGraph({}, DEFAULTS),
  };
  const begun = beginRun(graph, identity, { input: {}, startedAt: 0 }).run;
  const answer = { attempts: 1, durationMs: 1 };
  const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'declined' } } as const;
  const failing = advance(graph, begun, { kind: 'call.failed', key: 'r:a:1:0:0', failure, ...answer, at: 1 }).run;
  expect(failing.phase.kind).toBe('closing-failed');
  const reply = {
    get kind(): 'value' {
      throw new TypeError('broken');
    },
    value: null,
  };
  const over = advance(graph, failing, { kind: 'call.completed', key: 'r:tell:1:0:0', reply, ...answer, at: 2 }).run;
  expect(shown(over)).toMatchObject({
    status: 'failed',
    error: { code: 'INTERNAL', cause: { code: 'TOOL_FAILED', message: 'declined' } },
  });
});

describe('the definition of onFail', () => {
  const wait: NodeDefinition = { type: 'wait', for: '1s' };
  const inner = (node: NodeDefinition): NodeDefinition => ({
    type: 'subgraph',
    graph: aDefinition({ name: 'inner', nodes: { x: node } }),
  });
  const issuesOf = (over: Partial<GraphDefinition>): string[] =>
    validateGraph(toJson(aDefinition(over)), aCatalog()).map(({ code, path }) => `${code} ${path}`);

  test.each<[string, Partial<GraphDefinition>, string[]]>([
    ['a node that nothing else leads to', telling(), []],
    ['a node with writes', telling({ onFail: { to: 'tell', write: { log: '{{ error.message }}' } } }), []],
    ['an unknown node', telling({ onFail: 'b2' }), ['UNKNOWN_NODE /onFail', 'UNREACHABLE_NODE /nodes/tell']],
    ['an unknown node with writes', { nodes: allWork('a'), onFail: { to: 'x' } }, ['UNKNOWN_NODE /onFail/to']],
    ['an approval', { nodes: { a: asks }, onFail: 'a' }, ['INVALID_FIELD /onFail']],
    ['a wait inside', { nodes: { a: inner(wait) }, onFail: { to: 'a' } }, ['INVALID_FIELD /onFail/to']],
    ['an unknown channel', telling({ onFail: { to: 'tell', write: { no: 1 } } }), ['UNKNOWN_CHANNEL /onFail/write/no']],
    [
      'an invalid template',
      telling({ onFail: { to: 'tell', write: { log: '{{ result }}' } } }),
      ['INVALID_TEMPLATE /onFail/write/log'],
    ],
    [
      'another type',
      telling({ onFail: { to: 'tell', write: { log: [{ a: '{{ error.nope' }] } } }),
      ['INVALID_TEMPLATE /onFail/write/log/0/a'],
    ],
  ])('an onFail with %s has the issues %#', (_, over, issues) => {
    expect(issuesOf(over).filter((issue) => !/^UNUSED|^APPROVAL_UN/.test(issue))).toEqual(issues);
  });

  test('the diagram of a graph names its onFail node', () => {
    expect(toMermaid(aDefinition(telling()))).toContain('runs last when failed');
    expect(toMermaid(aDefinition(telling({ onFail: { to: 'tell' } })))).toContain('runs last when failed');
  });
});
