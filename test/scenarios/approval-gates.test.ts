import { describe, expect, test } from 'vitest';
import { refuseForkOf, refuseStartAt } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Principal } from '../../src/graph/run/principal.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { adds, addsNames, logOf, startRun } from '../support/builders/runs.ts';
import { forkStartAt } from '../support/builders/stored.ts';

const UMA = { sub: 'uma', roles: ['user'] };
const ADA = { sub: 'ada', roles: ['approver'] };

type Over = Partial<GraphDefinition>;

const asks = (over: Partial<NodeDefinition & { readonly type: 'approval' }> = {}) =>
  ({ type: 'approval', title: 'Pay?', write: 'out', ...over }) as const;

describe('nodes gated by an approval', () => {
  const ask = asks({ write: {} });
  const inner = (edges: GraphDefinition['edges']): GraphDefinition =>
    aDefinition({ nodes: { ask, ...addsNames('a', 'b') }, edges });
  const nodes = (graph: GraphDefinition): GraphDefinition['nodes'] => ({
    sub: { type: 'subgraph', graph },
    ...addsNames('pay'),
  });

  test.each<[string, Over, boolean]>([
    [
      'a node that only the approval leads to, through a loop',
      {
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', to: 'ask' },
          { from: 'ask', to: ['a', 'pay'] },
        ],
      },
      true,
    ],
    [
      'not a node behind another branch',
      {
        edges: [
          { from: '__start__', branches: [{ when: 'true', to: 'ask' }, { to: 'a' }] },
          { from: ['ask'], to: 'pay' },
          { from: 'a', to: 'pay' },
        ],
      },
      false,
    ],
    [
      'a node after a join that waits for the approval',
      {
        edges: [
          { from: '__start__', to: ['a', 'ask'] },
          { from: ['a', 'ask'], to: 'pay' },
        ],
      },
      true,
    ],
    [
      'not a node that runs in parallel',
      {
        edges: [
          { from: '__start__', to: ['a', 'ask'] },
          { from: 'a', to: 'pay' },
        ],
      },
      false,
    ],
    [
      'the target of a forEach after the approval',
      {
        edges: [
          { from: '__start__', forEach: '[1]', to: 'ask' },
          { from: 'ask', forEach: '[1]', to: 'pay' },
        ],
      },
      true,
    ],
    [
      'the targets of a route after the approval',
      {
        edges: [
          { from: '__start__', to: 'ask' },
          { from: 'ask', route: "'x'", paths: { x: 'pay' }, default: 'a' },
        ],
      },
      true,
    ],
    [
      'not a node that a goto reaches past the approval',
      {
        nodes: { ask, go: { type: 'function', function: 'double', mayGoto: ['pay'] }, ...addsNames('pay') },
        edges: [
          { from: '__start__', to: 'go' },
          { from: 'go', to: 'ask' },
          { from: 'ask', to: 'pay' },
        ],
      },
      false,
    ],
    [
      'not a node that onError reaches past the approval',
      {
        nodes: { ask, a: { ...adds('a'), onError: { to: 'pay' } }, ...addsNames('pay') },
        edges: [
          { from: '__start__', to: 'a' },
          { from: 'a', to: 'ask' },
          { from: 'ask', to: 'pay' },
        ],
      },
      false,
    ],
    [
      'the last node of canceled runs, to which other edges lead',
      {
        onCancel: 'pay',
        edges: [
          { from: '__start__', to: 'ask' },
          { from: 'ask', to: 'pay' },
        ],
      },
      true,
    ],
    [
      'a node that only a cancellation leads to',
      {
        onCancel: 'pay',
        edges: [
          { from: '__start__', to: 'ask' },
          { from: 'pay', to: 'a' },
        ],
      },
      true,
    ],
    ['a node after the subgraph with the approval', { nodes: nodes(inner([{ from: '__start__', to: 'ask' }])) }, true],
    [
      'a node after the subgraph with the approval and other nodes',
      {
        nodes: nodes(
          inner([
            { from: '__start__', to: ['a', 'b'] },
            { from: ['a', 'b'], to: 'ask' },
          ]),
        ),
      },
      true,
    ],
    [
      'not the nodes after a subgraph that may skip the approval',
      { nodes: nodes(inner([{ from: '__start__', branches: [{ when: 'true', to: 'ask' }] }])) },
      false,
    ],
    [
      'not the nodes that the failure of the subgraph leads to',
      {
        nodes: {
          sub: { type: 'subgraph', graph: inner([{ from: '__start__', to: 'ask' }]), onError: { to: 'pay' } },
          ...addsNames('b', 'pay'),
        },
        edges: [
          { from: '__start__', to: 'sub' },
          { from: 'sub', to: 'b' },
        ],
      },
      false,
    ],
    [
      'a node after two nested subgraphs with the approval',
      {
        nodes: nodes(
          aDefinition({ nodes: { deep: { type: 'subgraph', graph: inner([{ from: '__start__', to: 'ask' }]) } } }),
        ),
      },
      true,
    ],
  ])('an approval gates the right nodes of a graph: %s', (_, over, isHeld) => {
    const base: Over = { channels: { log: { reducer: 'append' } }, nodes: { ask, ...addsNames('a', 'pay') } };
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'sub' },
      { from: 'sub', to: 'pay' },
    ];
    const definition = aDefinition({ ...base, edges, ...over });
    const refusal = refuseStartAt(compileGraph(definition, aCatalog()), 'pay', UMA, 0);
    expect(refusal?.code).toBe(isHeld ? 'NOT_AN_APPROVER' : undefined);
  });

  test('an approval inside a node gates edits as the node, and writes to the channel that receives its decision', () => {
    const graph = aDefinition({
      channels: { answer: {} },
      nodes: { ask: asks({ write: 'answer' }) },
      output: ['answer'],
    });
    const run = startRun({
      channels: { out: {}, other: {}, log: { reducer: 'append' } },
      nodes: { sub: { type: 'subgraph', graph, write: { out: '{{ result.answer }}' } }, ...addsNames('pay') },
      interruptBefore: ['sub'],
    });
    for (const payload of [{ asNode: 'sub' }, { values: { out: 1 } }]) {
      run.signal('edit', { ...payload, by: UMA });
      expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver' });
    }
    run.signal('edit', { values: { other: 1 }, by: UMA });
    expect(run.events.at(-1)).toMatchObject({ type: 'checkpoint.saved' });
  });

  test.each<[string, GraphDefinition['edges']]>([
    ['arrives at a join', [{ from: ['b', 'c'], to: 'pay' }]],
    [
      'arrives at a join together with a forEach without elements',
      [
        { from: 'c', forEach: '[]', to: 'd' },
        { from: ['b', 'd'], to: 'pay' },
      ],
    ],
  ])('an edit as a node behind an approval is refused if it %s', (_, edges) => {
    const run = startRun({
      nodes: { ask, ...addsNames('a', 'b', 'c', 'd', 'pay') },
      edges: [{ from: '__start__', to: ['a', 'ask'] }, { from: 'a', to: 'b' }, { from: 'ask', to: 'c' }, ...edges],
      interruptBefore: ['a'],
    });
    run.signal('edit', { asNode: 'c', by: UMA });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver' });
    for (const [asNode, by] of [['c', ADA] as const, ['a', UMA] as const]) run.signal('edit', { asNode, by });
    run.signal('resume', { by: UMA });
    expect(logOf(run)).toEqual(['b', 'pay']);
  });

  test('a fork with an arrival at a join behind an approval is refused', () => {
    const definition = aDefinition({
      nodes: { ask, ...addsNames('a', 'b', 'pay') },
      edges: [
        { from: '__start__', to: ['a', 'ask'] },
        { from: 'a', to: 'b' },
        { from: ['b', 'ask'], to: 'pay' },
      ],
    });
    const run = startRun(definition);
    run.signal('approve', { by: ADA });
    const at = run.checkpoints.find(({ next }) => next.includes('b'))?.id ?? '';
    expect(run.fork(at, { by: UMA })).toMatchObject({ code: 'NOT_AN_APPROVER' });
    expect(run.fork(at, { by: ADA })).toMatchObject({ run: { status: 'completed' } });
    const start = { fork: forkStartAt(at, { asNode: 'a' }, run), startedAt: 0 };
    const underParent = (by: Principal) =>
      refuseForkOf(compileGraph(definition, aCatalog()), { ...IDENTITY, createdBy: by }, start);
    expect(underParent(UMA)).toMatchObject({ code: 'NOT_AN_APPROVER' });
    expect(underParent(ADA)).toBeNull();
  });
});
