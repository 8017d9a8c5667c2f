import { describe, expect, test } from 'vitest';
import { advance } from '../../../src/graph/advance/advance.ts';
import { startRun } from '../../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../../src/graph/compile/compile.ts';
import { unpackBatch } from '../../../src/graph/journal/packed-batch.ts';
import type { OccurrenceBody } from '../../../src/graph/run/occurrence.ts';
import { createOutbox } from '../../../src/workflows/outbox.ts';
import type { JournalDelivery } from '../../../src/workflows/outbox.ts';
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
    pack: () => outbox.pack(run),
    drop: (): void => void (run = { ...run, approvals: {} }),
    receive: (body: OccurrenceBody): void => {
      const step = advance(graph, run, { ...body, at: 1 });
      run = step.run;
      outbox.add(step);
    },
  };
}

const read = (delivery: JournalDelivery | null) =>
  delivery && unpackBatch(delivery.batch, { runId: identity.id, call: null });

describe('a lost delivery', () => {
  test('is packed again, with the current approvals', () => {
    const { pack, receive } = open();
    const lost = pack();
    receive({ kind: 'signal', name: 'approve', payload: {} });
    expect(read(pack())?.approvals).toMatchObject([{ status: 'approved' }]);
    lost?.lost();
    const again = read(pack());
    expect(again?.events[0]?.seq).toBe(1);
    expect(again?.approvals).toMatchObject([{ status: 'approved' }]);
  });
});

test('approvals that a run has dropped are written as closed, never as pending', () => {
  const { pack, receive, drop } = open();
  const pending = pack();
  receive({ kind: 'signal', name: 'approve', payload: {} });
  const closed = pack();
  drop();
  pending?.lost();
  expect(read(pack())?.approvals).toEqual([]);
  closed?.lost();
  receive({ kind: 'signal', name: 'event', payload: { event: 'any' } });
  expect(read(pack())?.approvals).toMatchObject([{ status: 'approved' }]);
});

describe('an outbox', () => {
  test('is empty once every delivery is acknowledged', () => {
    const { outbox, pack } = open();
    const delivery = pack();
    expect([outbox.isEmpty(), pack()]).toEqual([false, null]);
    delivery?.delivered();
    expect(outbox.isEmpty()).toBe(true);
  });
});
