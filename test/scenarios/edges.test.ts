import { describe, expect, test } from 'vitest';
import type { EdgeDefinition, GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, addsNames, logOf, startRun } from '../support/builders/runs.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const channels: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  list: {},
  way: {},
  n: { reducer: 'sum' },
};
const START = { from: '__start__', to: 'a' } as const;

function start(edges: readonly EdgeDefinition[], over: Partial<GraphDefinition> = {}, input = {}): MemoryRun {
  const definition = aDefinition({ channels, nodes: addsNames('a', 'b', 'c', 'd'), edges: [START, ...edges], ...over });
  return runInMemory({ definition, catalog: aCatalog(), input }, {});
}

describe('a route', () => {
  const paths = { b: 'b', both: ['b', 'c'], stop: '__end__', none: [] };

  test.each([
    ['b', [['a'], ['b']]],
    ['both', [['a'], ['b', 'c']]],
    [
      ['b', 'both'],
      [['a'], ['b', 'c']],
    ],
    ['stop', [['a']]],
    ['none', [['a']]],
    [[], [['a']]],
  ])('a route that evaluates to %j leads to the supersteps %j', (...[way, steps]) => {
    const { run, steps: taken } = start([{ from: 'a', route: 'state.way', paths }], {}, { way });
    expect(run.status).toBe('completed');
    expect(taken).toEqual(steps);
  });

  test.each([['x'], [7], [null], [{ b: 1 }], [['b', 'x']], [[null]], ['toString']])(
    'a route that evaluates to %j fails the run',
    (way) => {
      const { run, steps } = start([{ from: 'a', route: 'state.way', paths }], {}, { way });
      expect(run).toMatchObject({ status: 'failed', error: { code: 'INVALID_ROUTE', node: 'a' } });
      expect(run.root.channels['log']).toEqual(['a']);
      expect(steps).toEqual([['a']]);
    },
  );

  test.each([['x'], [7], [null], [['x', 'y']]])(
    'a route with a default that evaluates to %j takes the default',
    (way) => {
      const { steps } = start([{ from: 'a', route: 'state.way', paths, default: 'd' }], {}, { way });
      expect(steps).toEqual([['a'], ['d']]);
    },
  );
});

describe('branches', () => {
  test.each([
    [1, [['a'], ['b']]],
    [2, [['a'], ['c']]],
    [3, [['a']]],
  ])('branches of an edge take the first true condition: %j', (...[n, steps]) => {
    const branches = [
      { when: 'state.n < 2', to: 'b' },
      { when: 'state.n < 3', to: ['c'] },
    ];
    expect(start([{ from: 'a', branches }], {}, { n }).steps).toEqual(steps);
  });

  test.each([
    [1, [['a'], ['b']]],
    [3, [['a'], ['d']]],
  ])('branches of an edge take the one without a condition, at any index, if no other is true: %j', (...[n, steps]) => {
    const branches = [{ to: 'd' }, { when: 'state.n < 2', to: 'b' }];
    expect(start([{ from: 'a', branches }], {}, { n }).steps).toEqual(steps);
  });

  test('the branches of an edge can read the number of visits of their node', () => {
    const branches = [{ when: 'run.visit < 3', to: 'a' }, { to: 'b' }];
    expect(start([{ from: 'a', branches }]).steps).toEqual([['a'], ['a'], ['a'], ['b']]);
  });

  test('the branches of a join and of the start have no visit count', () => {
    const isNull = [{ when: 'run.visit == null', to: 'd' }];
    const join = { from: ['b', 'c'], branches: isNull };
    expect(start([{ from: 'a', to: ['b', 'c'] }, join]).steps.at(-1)).toEqual(['d']);
    expect(start([], { edges: [{ from: '__start__', branches: isNull }] }).steps).toEqual([['d']]);
  });

  test.each(['state.n', 'state.list[7]', "'true' + state.way"])(
    'the branches of an edge fail the run if their condition %s is not a boolean',
    (when) => {
      const { run } = start([{ from: 'a', branches: [{ when, to: 'b' }] }], {}, { way: '' });
      expect(run).toMatchObject({ status: 'failed', error: { code: 'EXPRESSION_FAILED', node: 'a' } });
    },
  );

  test('a failing branch at the start fails the run without a node, and onError does not apply', () => {
    const { run } = start([], {
      edges: [{ from: '__start__', branches: [{ when: 'state.n + 1 == state.way.x', to: 'a' }] }],
    });
    expect(run.error).toMatchObject({ code: 'EXPRESSION_FAILED' });
    expect(run.error).not.toHaveProperty('node');
    expect(
      start([{ from: 'a', branches: [{ when: 'state.n', to: 'b' }] }], {
        nodes: { ...addsNames('b', 'c', 'd'), a: { ...adds('a'), onError: { to: 'b' } } },
      }).run.error?.code,
    ).toBe('EXPRESSION_FAILED');
  });
});

describe('forEach', () => {
  const worker = { type: 'set', write: { log: '{{ index }}:{{ item }}' } } as const;
  const nodes = { ...addsNames('a', 'c', 'd'), b: worker };

  test.each([
    [
      ['x', 'y'],
      ['a', '0:x', '1:y', 'c'],
    ],
    [[], ['a', 'c']],
  ])('forEach over %j runs the target for each element, and the edges of the target once', (...[list, log]) => {
    const edges = [
      { from: 'a', forEach: 'state.list', to: 'b' },
      { from: 'b', to: 'c' },
    ];
    const run = start(edges, { nodes }, { list });
    expect(logOf(run)).toEqual(log);
  });

  test.each([7, 'text', null, { a: 1 }])('forEach over %j, which is not a list, fails the run', (list) => {
    const { run } = start([{ from: 'a', forEach: 'state.list', to: 'b' }], { nodes }, { list });
    expect(run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
  });

  test('forEach edges over a chain of empty lists are passed at once', () => {
    const { steps } = start(
      [
        { from: 'a', forEach: 'state.list', to: 'b' },
        { from: 'b', forEach: 'state.list', to: 'c' },
        { from: 'c', to: 'd' },
      ],
      {},
      { list: [] },
    );
    expect(steps).toEqual([['a'], ['d']]);
  });

  test('forEach edges over empty lists in a cycle terminate', () => {
    const { run, steps } = start(
      [
        { from: 'a', forEach: 'state.list', to: 'b' },
        { from: 'b', forEach: 'state.list', to: 'a' },
      ],
      {},
      { list: [] },
    );
    expect([run.status, steps]).toEqual(['completed', [['a']]]);
  });

  test('a forEach over an empty list does not end a target node that another edge has started', () => {
    const edges = [
      { from: 'a', forEach: 'state.list', to: 'b' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ];
    expect(start(edges, {}, { list: [] }).steps).toEqual([['a'], ['b'], ['c']]);
  });

  test('a forEach adds its elements to the target of an unconditional edge', () => {
    const edges = [
      { from: 'a', to: 'b' },
      { from: 'a', forEach: 'state.list', to: 'b' },
    ];
    const run = start(edges, { nodes }, { list: ['x'] });
    expect(logOf(run)).toEqual(['a', ':', '0:x']);
    expect(run.steps).toEqual([['a'], ['b']]);
  });

  test('a forEach over an empty list counts as an arrival at a join', () => {
    const edges: EdgeDefinition[] = [
      { from: 'a', forEach: 'state.list', to: 'b' },
      { from: ['a', 'b'], to: 'c' },
    ];
    expect(start(edges, {}, { list: [] }).steps).toEqual([['a'], ['c']]);
  });

  test('a forEach counts as finished if one element has completed and another was diverted by its error', () => {
    const nodes: GraphDefinition['nodes'] = {
      ...addsNames('a', 'c', 'd'),
      b: { type: 'set', write: { log: '{{ 1 / item }}' }, onError: { to: 'd' } },
    };
    const edges: EdgeDefinition[] = [
      { from: 'a', forEach: 'state.list', to: 'b' },
      { from: 'b', to: 'c' },
    ];
    expect(start(edges, { nodes }, { list: [1, 0] }).steps).toEqual([['a'], ['b'], ['c', 'd']]);
    expect(start(edges, { nodes }, { list: [0, 0] }).steps).toEqual([['a'], ['b'], ['d']]);
  });

  test('a forEach fails with a write conflict if two elements write one replace channel', () => {
    const edges = [{ from: 'a', forEach: '[1, 2]', to: 'b' }];
    const { run } = start(edges, { nodes: { ...nodes, b: { type: 'set', write: { way: '{{ item }}' } } } });
    expect(run.error?.code).toBe('INVALID_CONCURRENT_GRAPH_UPDATE');
  });

  test.each([1, 2])('maxConcurrency of a forEach limits the open elements to %i', (width) => {
    const run = start([{ from: 'a', forEach: '[1, 2, 3]', to: 'b', maxConcurrency: width }], {
      nodes: { ...nodes, b: { type: 'approval', title: '{{ item }}', write: { log: '{{ item }}' } } },
    });
    const asked = (): string[] =>
      Object.values(run.run.approvals).flatMap(({ status, title }) => (status === 'pending' ? [title] : []));
    expect(asked()).toEqual(['1', '2'].slice(0, width));
    run.signal('approve', { approvalId: 'run-1.a1' });
    expect(asked()).toEqual(['2', '3'].slice(0, width));
    run.signal('approve', { approvalId: 'run-1.a2' });
    run.signal('approve', { approvalId: 'run-1.a3' });
    expect(logOf(run)).toEqual(['a', 1, 2, 3]);
  });
});

describe('a deferred node', () => {
  const nodes = { ...addsNames('a', 'b', 'c'), d: { ...adds('d'), defer: true } };

  test('a deferred node runs once, when no other node is left', () => {
    const edges = [
      { from: 'a', to: ['b', 'd'] },
      { from: 'b', to: ['c', 'd'] },
    ];
    expect(start(edges, { nodes }).steps).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  test('a deferred node may lead to other nodes, even deferred ones', () => {
    const edges = [
      { from: 'a', to: ['d'] },
      { from: 'd', to: 'c' },
    ];
    const both = { ...nodes, c: { ...adds('c'), defer: true } };
    expect(start(edges, { nodes: both }).steps).toEqual([['a'], ['d'], ['c']]);
  });

  test.each([[[]], [['a']]])(
    'a deferred node that a failure leads to stays deferred, with breakpoints after %j',
    (interruptAfter) => {
      const wrong = { type: 'set', write: { log: '{{ state.list[3] }}' }, onError: { to: 'd' } } as const;
      const edges = [
        { from: '__start__', to: ['a', 'b'] },
        { from: 'b', to: 'c' },
      ];
      const run = start([], { nodes: { ...nodes, a: wrong }, edges, interruptAfter });
      if (run.run.status === 'paused') run.signal('resume', {});
      expect(run.steps).toEqual([['a', 'b'], ['c'], ['d']]);
    },
  );

  test('a deferred node that a failure leads to runs once, even if it was triggered before and a breakpoint follows the failure', () => {
    const wrong = { type: 'set', write: { log: '{{ state.list[3] }}' }, onError: { to: 'd' } } as const;
    const edges = [START, { from: 'a', to: ['b', 'd'] }];
    const run = start([], { nodes: { ...nodes, b: wrong }, edges, interruptAfter: ['b'] });
    run.signal('resume', {});
    expect(run.steps).toEqual([['a'], ['b'], ['d']]);
  });

  test('a deferred node is not among the next nodes while others run before it', () => {
    const edges = [START, { from: 'a', to: ['b', 'd'] }];
    const run = start([], { nodes, edges, interruptAfter: ['a'] });
    expect(run.checkpoints.at(-1)?.next).toEqual(['b']);
  });
});

test('a run may begin at a node that its caller names', () => {
  expect(startRun({ nodes: addsNames('a') }).steps).toEqual([['a']]);
});
