import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun as begin } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { DEADLINE_TIMER } from '../../src/graph/run/ids.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { failing, startRun } from '../support/builders/runs.ts';
import type { Outside } from '../support/doubles/memory-shell.ts';
import { shown } from '../support/readers/shown-run.ts';

const pays = { type: 'tool', tool: 'charge', args: { key: 'k' } } as const;
const limits = { deadline: '1h' };
const definition = aDefinition({ nodes: { a: pays, b: pays }, edges: [{ from: '__start__', to: ['a', 'b'] }], limits });
const graph = compileGraph(definition, aCatalog());
const IDENTITY = {
  id: 'run-1',
  tenantId: 'acme',
  threadId: null,
  graph: { name: 'test', version: null, hash: 'h' },
  createdBy: { sub: 'uma', roles: [] },
  limits: limitsOfGraph(limits, DEFAULTS),
};
const { run } = begin(graph, IDENTITY, { input: {}, startedAt: 0 });
const [first = '', second = ''] = Object.keys(run.calls);
const paid = { reply: { kind: 'value', value: 'paid' }, attempts: 1, durationMs: 1 } as const;
const answered = (key: string) => ({ kind: 'call.completed', key, ...paid, at: 3_600_001 }) as const;

describe('a deadline that expires during open calls', () => {
  const late = advance(graph, run, { kind: 'timer', id: DEADLINE_TIMER, at: 3_600_000 });

  test('a deadline that expires during open calls cancels the calls and waits for their results', () => {
    expect(late.effects.map(({ kind }) => kind)).toContain('cancel.calls');
    expect(shown(late.run)).toMatchObject({
      status: 'running',
      phase: { kind: 'failing', error: { code: 'DEADLINE_EXCEEDED' } },
      error: null,
    });
    const half = advance(graph, late.run, answered(first));
    expect(shown(half.run)).toMatchObject({
      status: 'running',
      phase: { kind: 'failing', error: { code: 'DEADLINE_EXCEEDED' } },
    });
    expect(half.effects.map(({ kind }) => kind)).not.toContain('cancel.calls');
    const over = advance(graph, half.run, answered(second));
    expect(shown(over.run)).toMatchObject({
      status: 'failed',
      error: { code: 'DEADLINE_EXCEEDED' },
      calls: {},
      timers: {},
    });
    expect(over.run.spent.toolCalls).toBe(2);
    expect(over.events.map(({ type }) => type)).toEqual(['tool.called', 'run.failed']);
  });

  test('a run whose deadline expired ignores signals until its calls have returned', () => {
    const { events } = advance(graph, late.run, { kind: 'signal', name: 'pause', payload: {}, at: 3_600_001 });
    expect(events).toMatchObject([
      { type: 'signal.ignored', reason: 'not_allowed_now', detail: 'The run is about to fail' },
    ]);
  });
});

test('a run that is being canceled does not wait for people any more', () => {
  const nodes = { a: pays, ask: { type: 'approval', title: 'May I?' } } as const;
  const asking = compileGraph(aDefinition({ nodes, edges: [{ from: '__start__', to: ['a', 'ask'] }] }), aCatalog());
  const begun = begin(asking, IDENTITY, { input: {}, startedAt: 0 });
  expect(toRunView(begun.run).waitingFor).toMatchObject([{ kind: 'approval', node: 'ask' }]);
  const canceled = advance(asking, begun.run, { kind: 'cancel.requested', at: 1 });
  expect(shown(canceled.run).status).toBe('running');
  expect(toRunView(canceled.run).waitingFor).toEqual([]);
});

describe('the reply of a call', () => {
  test('the reply of a call is dropped if its task no longer exists', () => {
    const called = { kind: 'tool', name: 'charge' } as const;
    const gone: Run = { ...run, calls: { ...run.calls, late: { taskPath: ['gone'], called, since: 0, takeover: 0 } } };
    const after = advance(graph, gone, answered('late'));
    expect(after.events).toEqual([]);
    expect(after.run).toMatchObject({ root: run.root, calls: run.calls, spent: { toolCalls: 1 } });
  });

  test('the reply of a call leaves a task that has ended unchanged', () => {
    const once = advance(graph, run, answered(first)).run;
    const again: Run = { ...once, calls: { ...run.calls } };
    const after = advance(graph, again, { ...answered(first), reply: { kind: 'value', value: 'twice' } });
    expect(after.run.root).toEqual(once.root);
    expect(after.events.map(({ type }) => type)).toEqual(['tool.called']);
  });
});

test('a node whose intervention a person settles by fail names the person in its error', () => {
  const given = startRun({ nodes: { only: { ...pays, onError: 'intervene' } } }, failing);
  given.signal('fail', { by: { sub: 'ada', roles: [] } });
  expect(given.events.flatMap((event) => (event.type === 'node.failed' ? [event.by] : []))).toEqual([undefined, 'ada']);
});

/** The deadline is over while a call is out, and so the run is about to fail. */
test('a run that is about to fail accepts a cancellation', () => {
  let isAnswered = false;
  const outside: Outside = { next: () => (isAnswered ? 0 : null), tool: () => 1 };
  const nodes = { first: pays, other: { ...pays, tool: 'lookup' } };
  const edges = [{ from: '__start__', to: ['first', 'other'] }];
  const canceled = startRun({ nodes, edges, limits: { deadline: '1s' } }, outside);
  canceled.passTime(2_000);
  isAnswered = true;
  canceled.signal('cancel', {});
  expect(shown(canceled.run).status).toBe('canceled');
});
