import { describe, expect, test } from 'vitest';
import { forkRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { ChannelDefinition, GraphDefinition } from '../../src/graph/definition/definition.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, addsNames, logOf, startRun, typesOf } from '../support/builders/runs.ts';
import { forkStartAt } from '../support/builders/stored.ts';
import type { ForkOptions } from '../support/builders/stored.ts';
import { allWork, breakable, works } from '../support/doubles/breakable.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';
import { shown } from '../support/readers/shown-run.ts';

const asks = { type: 'approval', title: 'May I?', write: {} } as const;
const ADA = { sub: 'ada', roles: ['approver'] };
const abc = { nodes: addsNames('a', 'b', 'c') };

/** A fork that has begun. */
function forkOf(run: MemoryRun, checkpoint: number, forking?: ForkOptions): MemoryRun {
  const fork = run.fork(`run-1.c${checkpoint}`, forking);
  if ('code' in fork) throw new Error(`The fork was refused: ${fork.message}`);
  return fork;
}

describe('a fork', () => {
  test.each([
    [1, [['a'], ['b'], ['c']]],
    [2, [['b'], ['c']]],
    [3, [['c']]],
    [4, []],
  ])('a fork from checkpoint %i runs the nodes after it', (checkpoint, steps) => {
    const fork = forkOf(startRun(abc), checkpoint);
    expect(fork.run).toMatchObject({ status: 'completed', output: { log: ['a', 'b', 'c'] } });
    expect(fork.steps).toEqual(steps);
    expect(fork.run.root.visits).toEqual({ a: 1, b: 1, c: 1 });
  });

  test('a fork records its parent run and checkpoint first', () => {
    const fork = forkOf(startRun(abc), 2);
    const parent = { runId: 'run-1', checkpoint: 'run-1.c2' };
    expect(fork.events[0]).toMatchObject({ seq: 1, type: 'run.started', by: 'uma', parent });
    expect(fork.run.parent).toEqual({ ...parent, callsSince: [], closedApprovals: [] });
    expect(fork.checkpoints.map(({ id, parentId, source, step, next }) => [id, parentId, source, step, next])).toEqual([
      ['fork-of-run-1.c2.c1', 'run-1.c2', 'fork', 0, ['b']],
      ['fork-of-run-1.c2.c2', 'fork-of-run-1.c2.c1', 'loop', 1, ['c']],
      ['fork-of-run-1.c2.c3', 'fork-of-run-1.c2.c2', 'loop', 2, []],
    ]);
  });

  test('a fork of a fork continues from the fork, without data of the first run', () => {
    const fork = forkOf(startRun(abc), 1, { values: { log: 'x' } });
    const again = fork.fork('fork-of-run-1.c1.c2', { values: { log: 'y' } });
    expect(again).toMatchObject({ run: { status: 'completed', output: { log: ['x', 'a', 'y', 'b', 'c'] } } });
  });

  test('a fork keeps null values of its checkpoint instead of defaults', () => {
    const channels: GraphDefinition['channels'] = {
      x: { default: 5 },
      log: { reducer: 'append' },
      seen: { default: 'default' },
    };
    const nodes: GraphDefinition['nodes'] = {
      a: { type: 'set', write: { x: null, log: { $replace: null } } },
      b: { type: 'set', write: { seen: '{{ state.x }}' } },
    };
    const run = startRun({ channels, nodes });
    const fork = forkOf(run, 2);
    expect(fork.run.output).toEqual({ x: null, log: null, seen: null });
    expect(fork.run.output).toEqual(run.run.output);
  });

  test('a fork makes only the calls after its checkpoint, under its own keys', () => {
    const { outside, calls } = breakable();
    const run = startRun({ nodes: allWork('a', 'b') }, outside);
    const fork = run.fork('run-1.c2');
    expect(fork).toMatchObject({ run: { id: 'fork-of-run-1.c2', status: 'completed', spent: { toolCalls: 2 } } });
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0', 'b:1:0:0']);
  });

  test('a fork starts with the usage of its parent at the checkpoint', () => {
    const over = { nodes: allWork('a', 'b', 'c'), limits: { maxToolCalls: 2 } };
    const run = startRun(over, breakable().outside);
    expect(run.run.error?.code).toBe('BUDGET_EXCEEDED');
    const fork = forkOf(run, 2);
    expect(fork.run).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED', node: 'c' } });
  });

  test('a fork continues the numbering of supersteps', () => {
    const loop = {
      nodes: addsNames('a'),
      edges: [
        { from: ['__start__'], to: 'a' },
        { from: 'a', to: 'a' },
      ],
    };
    const fork = forkOf(startRun({ ...loop, limits: { maxSteps: 3 } }), 2);
    expect([fork.run.error?.code, fork.steps.length]).toEqual(['GRAPH_RECURSION_LIMIT', 2]);
  });

  test('a fork may have its own breakpoints', () => {
    const definition = aDefinition(abc);
    const graph = compileGraph(definition, aCatalog());
    const { checkpoints } = startRun(abc);
    const identity = {
      id: 'run-2',
      tenantId: 'acme',
      threadId: null,
      graph: { name: 'test', version: null, hash: 'h' },
      createdBy: { sub: 'uma', roles: [] },
      limits: limitsOfGraph({}, graph.catalog.defaults),
    };
    const fork = forkStartAt('run-1.c1', {}, { checkpoints });
    const first = forkRun(graph, identity, { fork, startedAt: 0, breakpoints: { before: ['b'], after: [] } });
    expect('run' in first && shown(first.run)).toMatchObject({
      status: 'paused',
      root: { at: { kind: 'before', nodes: ['b'] } },
    });
  });
});

describe('a fork with other values', () => {
  test('a fork with other values writes them through the reducers', () => {
    const fork = forkOf(startRun(abc), 2, { values: { log: 'x' } });
    expect(logOf(fork)).toEqual(['a', 'x', 'b', 'c']);
    expect(typesOf(fork).slice(0, 3)).toEqual(['run.started', 'state.updated', 'checkpoint.saved']);
  });

  test('a fork with other values does not repeat the edges that its parent had evaluated', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: [{ when: "'x' in state.log", to: 'b' }, { to: 'c' }] },
    ];
    expect(forkOf(startRun({ ...abc, edges }), 2, { values: { log: 'x' } }).steps).toEqual([['c']]);
  });

  test.each([
    [{ nope: 1 }, 'There is no channel "nope".'],
    [{ log: { $replace: 7 } }, 'Channel "log"'],
  ])('a fork with the invalid values %j is refused', (values, message) => {
    const channels = { log: { reducer: 'append', schema: { type: 'array' } } } as const;
    const fork = startRun({ ...abc, channels }).fork('run-1.c2', { values });
    expect(fork).toMatchObject({ code: 'INVALID_VALUES', message: expect.stringContaining(message) });
  });

  test('a fork with other values continues after edges that failed in its parent', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', route: 'state.log[size(state.log) - 1]', paths: { b: 'b' } },
    ];
    const run = startRun({ ...abc, edges });
    expect(run.run.error?.code).toBe('INVALID_ROUTE');
    expect(run.fork('run-1.c2')).toMatchObject({ code: 'INVALID_VALUES', message: expect.stringContaining('"a"') });
    expect(logOf(forkOf(run, 2, { values: { log: 'b' } }))).toEqual(['a', 'b', 'b']);
  });

  test('a fork with other values continues the numbering of message ids', () => {
    const says = { type: 'set', write: { chat: { role: 'user', content: 'hi' } } } as const;
    const channels = { chat: { reducer: 'messages' } } as const;
    const run = startRun({ channels, nodes: { a: says, b: says } });
    const fork = forkOf(run, 2, { values: { chat: { role: 'user', content: 'new' } } });
    expect(fork.run.root.channels['chat']).toMatchObject([
      { id: 'run-1.m1', content: 'hi' },
      { id: 'fork-of-run-1.c2.m2', content: 'new' },
      { id: 'fork-of-run-1.c2.m3', content: 'hi' },
    ]);
  });
});

describe('a fork as a node', () => {
  test.each([
    ['a', {}, [['b'], ['c']]],
    ['b', {}, [['c']]],
    ['c', {}, []],
    ['a', { log: 'x' }, [['b'], ['c']]],
  ])('a fork as the node %s that writes %j continues with the next nodes', (asNode, values, steps) => {
    const fork = forkOf(startRun(abc), 3, { asNode, values });
    expect([fork.run.status, fork.steps]).toEqual(['completed', steps]);
    expect(fork.events[1]).toMatchObject({ type: 'state.updated', asNode, values });
  });

  test.each([
    ['nope', 'MALFORMED'],
    ['__start__', 'MALFORMED'],
    ['ask', 'NOT_AN_APPROVER'],
  ])('a fork as the node %s is refused', (asNode, code) => {
    expect(startRun({ nodes: { ...addsNames('a'), ask: asks } }).fork('run-1.c2', { asNode })).toMatchObject({ code });
  });

  test('a fork as a node drops the breakpoint and the other next nodes of its parent', () => {
    const run = startRun({ ...abc, interruptAfter: ['a'] });
    const fork = forkOf(run, 2, { asNode: 'b' });
    expect([fork.run.status, fork.steps]).toEqual(['completed', [['c']]]);
  });
});

describe('a fork of another version of the graph', () => {
  const shorter = aDefinition({ nodes: addsNames('a', 'c') });

  test('a fork with another version of the graph is refused if the checkpoint continues at a node that the version lacks', () => {
    expect(startRun(abc).fork('run-1.c2', { graph: shorter })).toEqual({
      code: 'MALFORMED',
      message: 'The graph has no node "b", where the checkpoint goes on; name another by asNode',
      issues: [{ path: '/graph', message: expect.stringContaining('"b"') }],
    });
  });

  test.each<[string, Partial<GraphDefinition>]>([
    ['is deferred', { nodes: { a: adds('a'), b: { ...adds('b'), defer: true } } }],
    ['comes after a breakpoint', { nodes: addsNames('a', 'b'), interruptAfter: ['b'] }],
  ])('a fork with another version of the graph is refused for a missing node that %s', (_when, over) => {
    const fork = startRun(over).fork(over.interruptAfter ? 'run-1.c3' : 'run-1.c2', { graph: shorter });
    expect(fork).toMatchObject({ code: 'MALFORMED', message: expect.stringContaining('"b"') });
  });

  test('a fork with another version of the graph continues as a node that exists in it', () => {
    expect(logOf(forkOf(startRun(abc), 2, { graph: shorter, asNode: 'a' }))).toEqual(['a', 'c']);
  });

  test('a fork with another version of the graph continues with its own edges and nodes', () => {
    const graph = aDefinition({ nodes: { ...addsNames('a'), b: adds('other'), ...addsNames('d') } });
    const fork = forkOf(startRun(abc), 2, { graph });
    expect([logOf(fork), fork.steps]).toEqual([
      ['a', 'other', 'd'],
      [['b'], ['d']],
    ]);
  });

  test('a fork with another version of the graph takes over channels of the same name, and uses defaults for the others', () => {
    const brief: ChannelDefinition = { reducer: 'append', ephemeral: true };
    const channels = { log: { reducer: 'append' }, gone: { default: 'x' }, brief } as const;
    const fresh = { log: { reducer: 'append' }, fresh: { default: 'y' }, brief } as const;
    const nodes = { a: { type: 'set', write: { log: 'a', brief: 'a' } }, b: adds('b') } as const;
    const fork = forkOf(startRun({ channels, nodes }), 2, { graph: aDefinition({ channels: fresh, nodes }) });
    expect(fork.checkpoints[0]?.changes).toEqual({ log: { set: ['a'] }, fresh: { set: 'y' } });
    expect(fork.run.output).toEqual({ log: ['a', 'b'], fresh: 'y', brief: [] });
  });
});

describe('the position at which a fork continues', () => {
  test('a fork pauses again at the breakpoint after a node at which its parent was paused', () => {
    const run = startRun({ ...abc, interruptAfter: ['b'] });
    run.signal('resume', {});
    const fork = forkOf(run, 3);
    expect(fork.run).toMatchObject({
      status: 'paused',
      root: { at: { kind: 'after', nodes: ['b'], next: ['c'] } },
    });
    expect(fork.events.at(-1)).toMatchObject({ type: 'run.paused', by: 'breakpoint', nodes: ['b'] });
    fork.signal('resume', { values: { log: 'x' } });
    expect([fork.run.status, logOf(fork)]).toEqual(['completed', ['a', 'b', 'x', 'c']]);
  });

  test('a fork pauses again at the breakpoint before a node at which its parent was paused', () => {
    const run = startRun({ ...abc, interruptBefore: ['b'] });
    run.signal('resume', { values: { log: 'x' } });
    for (const checkpoint of [2, 3]) {
      const fork = forkOf(run, checkpoint);
      expect([fork.run.status, fork.steps]).toEqual(['paused', []]);
      fork.signal('resume', {});
      expect(fork.steps).toEqual([['b'], ['c']]);
    }
  });

  test('a fork has the buffered events of the checkpoint, and no others', () => {
    const go = { type: 'wait', event: 'go', write: 'log' } as const;
    const run = startRun({ nodes: { ask: asks, a: go, b: go, c: go } });
    for (const payload of [1, 2]) run.signal('event', { event: 'go', payload });
    run.signal('approve', {});
    run.signal('event', { event: 'go', payload: 3 });
    expect(logOf(run)).toEqual([1, 2, 3]);
    const kept = run.checkpoints.map(({ id }) =>
      forkStartAt(id, {}, run).resumePoint.bufferedEvents.map(({ payload }) => payload),
    );
    expect(kept).toEqual([[], [1, 2], [2], [], []]);
    const fork = forkOf(run, 2, { by: ADA });
    expect([fork.run.status, logOf(fork)]).toEqual(['waiting', [1, 2]]);
    expect(fork.checkpoints[0]?.resumePoint.bufferedEvents).toHaveLength(2);
  });

  test('a fork continues the visit counts of its parent', () => {
    const tells = { type: 'set', write: { log: '{{ run.visit }}' }, maxVisits: 3 } as const;
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'a' },
    ];
    const fork = forkOf(startRun({ nodes: { a: tells }, edges }), 3);
    expect([fork.run.error?.code, logOf(fork)]).toEqual(['MAX_VISITS_EXCEEDED', [1, 2, 3]]);
  });

  test('a fork has the earlier arrivals at its joins', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: ['a', 'b'] },
      { from: 'b', to: 'c' },
      { from: ['a', 'c'], to: 'd' },
    ];
    const fork = forkOf(startRun({ nodes: addsNames('a', 'b', 'c', 'd'), edges }), 2);
    expect(fork.checkpoints[0]?.resumePoint.joins).toEqual({ 2: ['a'] });
    expect([fork.steps, logOf(fork)]).toEqual([
      [['c'], ['d']],
      ['a', 'b', 'c', 'd'],
    ]);
  });

  test('a fork has the pending elements of lists, and the nodes deferred after them', () => {
    const nodes = { each: adds('{{ item }}'), plain: adds('plain'), last: { ...adds('last'), defer: true } };
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', forEach: '[3, 1]', to: 'each', maxConcurrency: 1 },
      { from: '__start__', to: ['plain', 'last'] },
    ];
    const run = startRun({ nodes, edges });
    expect([forkOf(run, 1), forkOf(run, 2)].map(({ steps, run: { output } }) => [steps, output])).toEqual([
      [[['each', 'plain'], ['last']], { log: [3, 1, 'plain', 'last'] }],
      [[['last']], { log: [3, 1, 'plain', 'last'] }],
    ]);
  });

  test('a fork restarts a superstep that was open when somebody edited the state', () => {
    const { outside, calls } = breakable();
    const nodes = { ask: asks, a: works('a'), each: works('{{ string(item) }}') };
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: ['ask', 'a'] },
      { from: '__start__', forEach: '[7]', to: 'each' },
    ];
    const run = startRun({ nodes, edges }, outside);
    run.signal('edit', { values: { log: 'x' } });
    const fork = forkOf(run, 2);
    expect(fork.steps).toEqual([['a', 'ask', 'each']]);
    expect(calls.slice(2)).toEqual(['a:1:0:0', 'each#0:1:0:0']);
    fork.signal('approve', {});
    expect([fork.run.status, logOf(fork)]).toEqual(['completed', ['x', 'a!', '7!']]);
  });

  test('a fork includes the visits of nodes that were discarded', () => {
    const run = startRun({ nodes: { ask: asks, ...addsNames('b') } });
    run.signal('replan', { node: 'ask' });
    run.signal('replan', { node: 'b' });
    expect(forkOf(run, 3, { by: ADA }).run.root.visits).toEqual({ ask: 2, b: 1 });
  });
});

describe('the approval of a fork', () => {
  const done = [{ node: 'pay', tool: 'charge', at: '2026-01-02T03:04:05.000Z' }];
  const parentRun = { runId: 'run-1', done };

  test.each<[Json, Json]>([
    [{ for: 'tea' }, { for: 'tea', parentRun }],
    ['tea', { details: 'tea', parentRun }],
    [['tea'], { details: ['tea'], parentRun }],
    [null, { parentRun }],
  ])(
    "the approval of a fork contains the parent's calls since the checkpoint, in addition to %j",
    (details, expected) => {
      const fork = forkOf(startRun({ nodes: { ask: { ...asks, details } } }), 1, { callsSince: done });
      expect(fork.run.approvals).toMatchObject({
        'fork-of-run-1.c1.a1': { runId: 'fork-of-run-1.c1', details: expected },
      });
    },
  );

  test('the approval of a fork contains no calls if the parent has made none', () => {
    const fork = forkOf(startRun({ nodes: { ask: { ...asks, details: 'tea' } } }), 1);
    expect(fork.run.approvals).toMatchObject({ 'fork-of-run-1.c1.a1': { details: 'tea' } });
  });
});
