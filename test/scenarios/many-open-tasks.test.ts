import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import type { Advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { drive } from '../../src/graph/advance/drive.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../src/graph/compile/compile.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import { heldBytes } from '../../src/graph/run/held-bytes.ts';
import type { ImpossibleCompensation } from '../../src/graph/run/compensation.ts';
import type { OccurrenceBody } from '../../src/graph/run/occurrence.ts';
import type { Run } from '../../src/graph/run/run.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { MEASURING, growthOf } from '../support/readers/growth.ts';

/*
 * A superstep may have 10,000 tasks, and one `advance` may open, withdraw or cancel the requests of all of them.
 * Scanning all tasks for each of them would take longer than a workflow task may.
 */

const ADA = { sub: 'ada', roles: ['approver'] };
const asks = { type: 'approval', title: 'Number {{ item }} of {{ state.what }}?' } as const;
const waits = { type: 'wait', event: 'go', timeout: '1h' } as const;

/** Makes a graph that runs a node as `count` tasks. */
function graphOf(each: NodeDefinition, count: number): CompiledGraph {
  const list = Array.from({ length: count }, (_, at) => at);
  const definition = aDefinition({
    channels: { list: { default: list }, what: { default: 'things' }, one: {}, log: { reducer: 'append' } },
    nodes: { each, end: { type: 'set', write: { log: 'end' } } },
    edges: [{ from: '__start__', forEach: 'state.list', to: 'each' }],
  });
  return compileGraph(definition, aCatalog());
}

/** Begins a run, and continues until all its tasks wait or have ended. */
function begin(graph: CompiledGraph): Advance {
  return goOn(graph, startRun(graph, IDENTITY, { input: {}, startedAt: 0 }));
}

/** Continues a run while it yields. */
function goOn(graph: CompiledGraph, first: Advance): Advance {
  const steps = drive(graph, first, ({ hasYielded }) => (hasYielded ? { kind: 'continue', at: 1 } : null));
  return [...steps].at(-1) ?? first;
}

const send = (graph: CompiledGraph, run: Run, body: OccurrenceBody): Advance => advance(graph, run, { ...body, at: 2 });

const signal = (name: string, payload: JsonObject = {}): OccurrenceBody => ({
  kind: 'signal',
  name,
  payload: { by: ADA, ...payload },
});

/** Returns the run with `count` impossible compensations. */
function withImpossible(run: Run, count: number): Run {
  const error = { code: 'EXPRESSION_FAILED', message: 'no receipt' } as const;
  const pending = Array.from({ length: count }, (_, index): ImpossibleCompensation => {
    return { key: `run-1:pay#${index}:1:0:0`, task: { node: 'pay', visit: 1, index }, step: 0, problem: error };
  });
  return { ...run, compensation: { ...run.compensation, pending } };
}

describe('the time of one advance is linear in the number of its tasks, when they', () => {
  const canceled = signal('cancel');
  const mayFail = '{{ item % 2.0 == 0.0 ? "Odd?" : string(parseJson("{")) }}';
  test.each<[string, (count: number) => () => Advance]>([
    ['request approvals', (count) => beginning(asks, count)],
    ['are canceled with their approvals', (count) => sending(asks, count, canceled)],
    ['are canceled with their timers', (count) => sending(waits, count, canceled)],
    ['are discarded by a replan', (count) => sending(asks, count, signal('replan', { node: 'end' }))],
    ['renew approvals', (count) => sending(asks, count, signal('edit', { values: { what: 'them' } }))],
    ['fail beside tasks that wait', (count) => beginning({ ...asks, title: mayFail, onError: { to: 'end' } }, count)],
    [
      'write a channel that only one task may write',
      (count) => beginning({ type: 'set', write: { one: '{{ item }}' } }, count),
    ],
    [
      'have made calls that can not be compensated',
      (count) => {
        const graph = graphOf(asks, 1);
        const run = withImpossible(begin(graph).run, count);
        return () => send(graph, run, canceled);
      },
    ],
  ])(
    'the time of one advance of the interpreter is linear in the number of tasks, when they %s',
    MEASURING,
    (_, prepare) => {
      expect(growthOf(prepare, 1.7)).toBeLessThan(1.7);
    },
  );

  function sending(each: NodeDefinition, count: number, body: OccurrenceBody): () => Advance {
    const graph = graphOf(each, count);
    const { run } = begin(graph);
    return () => send(graph, run, body);
  }

  function beginning(each: NodeDefinition, count: number): () => Advance {
    const graph = graphOf(each, count);
    return () => begin(graph);
  }
});

describe('a run with a thousand closed approvals', () => {
  const graph = graphOf(asks, 1_000);
  const { run } = send(graph, begin(graph).run, signal('replan', { node: 'each' }));

  test('a run with a thousand closed approvals stores the latest ones', () => {
    const closed = Object.values(run.approvals).filter(({ status }) => status !== 'pending');
    expect(closed.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, at) => `run-1.a${901 + at}`));
  });

  test('a run with a thousand closed approvals counts the bytes of the stored approvals only', () => {
    expect(heldBytes(run)).toBe(heldBytes(structuredClone(run)));
  });
});

describe('an edit that outdates more approvals than one advance may renew', () => {
  const count = 3_000;
  const graph = graphOf(asks, count);
  const last = begin(graph);
  const edited = send(graph, last.run, signal('edit', { values: { what: 'them' } }));
  const pendingIn = ({ run }: Advance) => Object.values(run.approvals).filter(({ status }) => status === 'pending');

  test('an edit that outdates more approvals than one advance may renew withdraws all, and renews the rest later', () => {
    expect(edited.hasYielded).toBe(true);
    expect(edited.approvals.filter(({ status }) => status === 'canceled')).toHaveLength(count);
    expect(pendingIn(edited).length).toBeLessThan(count);
    const asked = goOn(graph, edited);
    expect(asked.run.phase.kind).toBe('waiting');
    expect(pendingIn(asked).map(({ title }) => title)).toEqual(
      Array.from({ length: count }, (_, at) => `Number ${at} of them?`),
    );
    expect(Object.keys(asked.run.timers)).toHaveLength(count);
  });

  test('an edit that outdates many approvals makes decisions on the withdrawn ones impossible', () => {
    const { run, events } = send(graph, edited.run, signal('approve', { approvalId: `run-1.a${count}` }));
    expect(events[0]).toMatchObject({ type: 'signal.ignored', reason: 'approval_canceled' });
    expect(run.approvals[`run-1.a${count}`]).toMatchObject({ status: 'canceled' });
  });

  test('an edit of a paused run that outdates many approvals renews them when the run is resumed', () => {
    const paused = send(graph, last.run, signal('pause'));
    const stopped = goOn(graph, send(graph, paused.run, signal('edit', { values: { what: 'them' } })));
    expect(stopped.run.phase.kind).toBe('paused');
    expect(pendingIn(stopped).length).toBeLessThan(count);
    const resumed = goOn(graph, send(graph, stopped.run, signal('resume')));
    expect(pendingIn(resumed)).toHaveLength(count);
  });
});
