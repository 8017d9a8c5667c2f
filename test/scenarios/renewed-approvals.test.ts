import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { adds, decideLast, startRun } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const UMA = { sub: 'uma', roles: ['user'] };
const ADA = { sub: 'ada', roles: ['approver'] };
const BOB = { sub: 'bob', roles: ['approver'] };

type Ask = Partial<NodeDefinition & { readonly type: 'approval' }>;

function asking(over: Ask = {}): MemoryRun {
  const ask = { type: 'approval', title: 'Pay?', args: { amount: '{{ state.amount }}' }, write: 'out' } as const;
  return startRun({
    channels: { amount: { default: 40 }, note: {}, out: {}, log: { reducer: 'append' } },
    nodes: { ask: { ...ask, ...over }, pay: adds('paid') },
    edges: [
      { from: '__start__', to: 'ask' },
      { from: 'ask', to: 'pay' },
    ],
  });
}

const statusesOf = ({ run }: MemoryRun) =>
  Object.values(run.approvals).map(({ id, status, args }) => [id, status, args]);

describe('an edit of the content of an approval', () => {
  test.each<[string, Ask]>([
    ['arguments', {}],
    ['details', { args: null, details: ['{{ state.amount }}'] }],
    ['title', { args: null, title: 'Pay {{ state.amount }}?' }],
  ])('an edit withdraws an approval and requests it again if the edit changes its %s', (_, over) => {
    const run = asking(over);
    run.signal('edit', { values: { amount: 41 }, by: UMA });
    expect(run.run.status).toBe('waiting');
    expect(run.run.approvals).toMatchObject({
      'run-1.a1': { status: 'canceled' },
      'run-1.a2': { status: 'pending', decisions: [], previous: [{ id: 'run-1.a1', status: 'canceled' }] },
    });
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'approval', id: 'run-1.a2' }]);
    run.signal('approve', { approvalId: 'run-1.a1', by: ADA });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'approval_canceled' });
    decideLast(run, 'approve', { by: ADA });
    expect(run.run).toMatchObject({ status: 'completed', timers: {} });
  });

  test('an edit of the content of an approval is in the history between the two approvals', () => {
    const run = asking();
    run.signal('edit', { values: { amount: 41 }, by: UMA });
    const types = run.events.map(({ type }) => type);
    expect(types.slice(types.indexOf('approval.requested'))).toEqual([
      'approval.requested',
      'state.updated',
      'checkpoint.saved',
      'approval.requested',
    ]);
  });

  test('an edit of the content of an approval voids the decisions so far', () => {
    const run = asking({ policy: { quorum: 2 } });
    decideLast(run, 'approve', { by: ADA });
    run.signal('edit', { values: { amount: 41 }, by: UMA });
    decideLast(run, 'approve', { by: BOB });
    expect(run.run.approvals['run-1.a2']).toMatchObject({ status: 'pending', decisions: [{ by: 'bob' }] });
    decideLast(run, 'approve', { by: ADA });
    expect(run.run.root.channels).toMatchObject({ out: { args: { amount: 41 } }, log: ['paid'] });
  });

  test('an edit of the content of an approval renews it at once in a paused run, and so does a resume with values', () => {
    const run = asking();
    run.signal('pause', { by: UMA });
    run.signal('edit', { values: { amount: 41 }, by: UMA });
    run.signal('resume', { values: { amount: 42 }, by: UMA });
    expect(statusesOf(run)).toEqual([
      ['run-1.a1', 'canceled', { amount: 40 }],
      ['run-1.a2', 'canceled', { amount: 41 }],
      ['run-1.a3', 'pending', { amount: 42 }],
    ]);
    decideLast(run, 'approve', { by: ADA });
    expect(run.run.status).toBe('completed');
  });

  test('an edit renews only those of several approvals whose content it changes', () => {
    const ask = (title: string) => ({ type: 'approval', title }) as const;
    const run = startRun({
      channels: { list: { default: [1, 2] }, amount: { default: 1 } },
      nodes: { each: ask('{{ item }}: {{ state.amount > 1 }}'), other: ask('{{ run.step }}') },
      edges: [
        { from: '__start__', forEach: 'state.list', to: 'each' },
        { from: '__start__', to: 'other' },
      ],
    });
    run.signal('edit', { values: { list: [] }, by: UMA });
    expect(Object.keys(run.run.approvals)).toHaveLength(3);
    run.signal('edit', { values: { amount: 2 }, by: UMA });
    expect(Object.values(run.run.approvals).map(({ title, status }) => [title, status])).toEqual([
      ['1: false', 'canceled'],
      ['2: false', 'canceled'],
      ['0', 'pending'],
      ['1: true', 'pending'],
      ['2: true', 'pending'],
    ]);
  });

  test('an edit fails the approval node if the content of the approval cannot be filled any more', () => {
    const run = asking({ title: '{{ 100 / state.amount }}' });
    run.signal('edit', { values: { amount: 0 }, by: UMA });
    expect(run.run).toMatchObject({ status: 'failed', phase: { error: { code: 'EXPRESSION_FAILED', node: 'ask' } } });
    expect(statusesOf(run)).toMatchObject([['run-1.a1', 'canceled', {}]]);
  });
});

describe('an approval stays unchanged', () => {
  test('an approval stays unchanged after an edit of other state, with its decisions and edited arguments', () => {
    const run = asking({ policy: { quorum: 2 } });
    decideLast(run, 'approve', { by: ADA, args: { amount: 30 } });
    const { digest = '' } = run.run.approvals['run-1.a1'] ?? {};
    run.signal('edit', { values: { note: 'seen' }, by: UMA });
    run.signal('edit', { values: { amount: 40 }, by: UMA });
    decideLast(run, 'approve', { by: BOB, digest });
    expect(run.run).toMatchObject({ status: 'completed', root: { channels: { out: { args: { amount: 30 } } } } });
  });

  test('an approval inside a subgraph, whose state an edit does not change, stays unchanged', () => {
    const inner = aDefinition({
      channels: { amount: {} },
      nodes: { ask: { type: 'approval', title: 'Pay {{ state.amount }}?' } },
    });
    const run = startRun({
      channels: { amount: { default: 1 } },
      nodes: { sub: { type: 'subgraph', graph: inner, input: { amount: '{{ state.amount }}' } } },
    });
    run.signal('edit', { values: { amount: 2 }, by: UMA });
    expect(run.run.approvals).toMatchObject({ 'run-1.a1': { status: 'pending', title: 'Pay 1?' } });
  });

  test('an approval stays unchanged in a run that has ended', () => {
    const run = asking();
    run.signal('cancel', { by: UMA });
    run.reopen('edit', { values: { amount: 41 }, by: UMA });
    expect(run.run.status).toBe('canceled');
    expect(statusesOf(run)).toEqual([['run-1.a1', 'canceled', { amount: 40 }]]);
  });
});
