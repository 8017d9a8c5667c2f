import { expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun as begin } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { DEADLINE_TIMER } from '../../src/graph/run/ids.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds } from '../support/builders/runs.ts';
import { shown } from '../support/readers/shown-run.ts';

/*
 * A timer may have fired when the run replaces it under its id, so its occurrence arrives afterwards. It is
 * distinguished from the new one by the time for which it was started.
 */

const aRun = (over: Partial<GraphDefinition>) => {
  const graph = compileGraph(aDefinition(over), aCatalog());
  const { run } = begin(
    graph,
    {
      id: 'run-1',
      tenantId: 'acme',
      threadId: null,
      graph: { name: 'test', version: null, hash: 'h' },
      createdBy: { sub: 'uma', roles: [] },
      limits: limitsOfGraph(over.limits ?? {}, DEFAULTS),
    },
    { input: {}, startedAt: 0 },
  );
  return { graph, run };
};

test.each<[string, Partial<GraphDefinition>]>([
  ['the deadline of a run', { nodes: { w: { type: 'wait', event: 'go' } }, limits: { deadline: '1h' } }],
  ['a wait', { nodes: { w: { type: 'wait', for: '1h' } } }],
  ['the timeout of an event', { nodes: { w: { type: 'wait', event: 'go', timeout: '1h' } } }],
  ['an approval', { nodes: { w: { type: 'approval', title: 'May I?', timeout: '1h' } } }],
  [
    'the deadline of a node',
    {
      nodes: {
        w: { type: 'subgraph', graph: aDefinition({ nodes: { v: { type: 'wait', event: 'go' } } }), deadline: '1h' },
      },
    },
  ],
])('the time limit of %s is ended by its own timer, and not by a replaced one', (_, over) => {
  const { graph, run } = aRun(over);
  const [[id, { fireAt }] = ['', { fireAt: 0 }]] = Object.entries(run.timers);
  expect(fireAt).toBeGreaterThan(0);
  for (const other of [fireAt - 1, fireAt + 1, 0])
    expect(advance(graph, run, { kind: 'timer', id, fireAt: other, at: fireAt })).toMatchObject({ run, events: [] });
  const after = advance(graph, run, { kind: 'timer', id, fireAt, at: fireAt });
  expect(after.run.timers).toEqual({});
  expect(after.events).not.toEqual([]);
});

test('a deadline that is extended in time does not end the run, even if its timer has fired', () => {
  const work = { type: 'tool', tool: 'charge', args: { key: 'k' }, onError: 'intervene' } as const;
  const { graph, run } = aRun({
    nodes: { work, w: { type: 'wait', event: 'go' }, last: adds('last') },
    edges: [{ from: '__start__', to: ['work', 'w'] }],
    limits: { deadline: '12s' },
  });
  const [key = ''] = Object.keys(run.calls);
  const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } } as const;
  const stopped = advance(graph, run, { kind: 'call.failed', key, failure, at: 1 }).run;
  const deadlineOf = (one: Run): number => one.timers[DEADLINE_TIMER]?.fireAt ?? 0;
  const payload = { limits: { deadline: '10s' } };
  const extended = advance(graph, stopped, { kind: 'signal', name: 'retry', payload, at: 11_000 }).run;
  expect([deadlineOf(stopped), deadlineOf(extended)]).toEqual([12_000, 21_000]);
  const late = advance(graph, extended, { kind: 'timer', id: DEADLINE_TIMER, fireAt: 12_000, at: 30_000 });
  expect(late).toMatchObject({ run: extended, events: [] });
  const over = advance(graph, extended, { kind: 'timer', id: DEADLINE_TIMER, fireAt: 21_000, at: 30_000 });
  expect(shown(over.run)).toMatchObject({ phase: { kind: 'failing', error: { code: 'DEADLINE_EXCEEDED' } } });
});
