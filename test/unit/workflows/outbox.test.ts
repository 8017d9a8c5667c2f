import { describe, expect, test } from 'vitest';
import { advance } from '../../../src/graph/advance/advance.ts';
import { startRun } from '../../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../../src/graph/compile/compile.ts';
import type { OccurrenceBody } from '../../../src/graph/run/occurrence.ts';
import { createOutbox } from '../../../src/workflows/outbox.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';

const graph = compileGraph(
  aDefinition({
    nodes: { ask: { type: 'approval', title: 'May I?' }, pay: { type: 'tool', tool: 'charge', args: { key: 'k' } } },
    edges: [{ from: '__start__', to: ['ask', 'pay'] }],
  }),
  aCatalog(),
);
const identity = {
  id: 'R1',
  tenantId: 'acme',
  threadId: null,
  graph: { name: 'test', version: 1, hash: 'h' },
  createdBy: { sub: 'ann', roles: ['user'] },
  limits: { maxSteps: 25, maxConcurrency: 100 },
};

/** A run that waits for an approval and a call, and its outbox. */
function open() {
  const first = startRun(graph, identity, { input: {}, startedAt: 0 });
  let { run } = first;
  const outbox = createOutbox(graph);
  outbox.add(first);
  return {
    outbox,
    take: () => outbox.take(run),
    drop: (): void => void (run = { ...run, approvals: {} }),
    receive: (body: OccurrenceBody): void => {
      const step = advance(graph, run, { ...body, at: 1 });
      run = step.run;
      outbox.add(step);
    },
  };
}

describe('a lost delivery', () => {
  test('a lost delivery of a run’s journal is sent again with the current approvals', () => {
    const { take, receive } = open();
    const lost = take();
    receive({ kind: 'signal', name: 'approve', payload: {} });
    expect(take()?.batch.approvals).toMatchObject([{ status: 'approved' }]);
    lost?.lost();
    const again = take()?.batch;
    expect(again?.events[0]?.seq).toBe(1);
    expect(again?.approvals).toMatchObject([{ status: 'approved' }]);
  });
});

test('approvals that a run has dropped are written to the store as closed, never as pending', () => {
  const { take, receive, drop } = open();
  const pending = take();
  receive({ kind: 'signal', name: 'approve', payload: {} });
  const closed = take();
  drop();
  pending?.lost();
  expect(take()?.batch.approvals).toEqual([]);
  closed?.lost();
  receive({ kind: 'signal', name: 'event', payload: { event: 'any' } });
  expect(take()?.batch.approvals).toMatchObject([{ status: 'approved' }]);
});

describe('an outbox', () => {
  test('the outbox of a run’s journal is empty once every delivery is acknowledged', () => {
    const { outbox, take } = open();
    const delivery = take();
    expect([outbox.isEmpty(), take()]).toEqual([false, null]);
    delivery?.delivered();
    expect(outbox.isEmpty()).toBe(true);
  });
});
