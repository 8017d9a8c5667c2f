import { describe, expect, test } from 'vitest';
import { advance, signalEndedRun } from '../../src/graph/advance/advance.ts';
import { startRun as begin } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { DEADLINE_TIMER } from '../../src/graph/run/ids.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, addsNames, failing, logOf, startRun, typesOf } from '../support/builders/runs.ts';
import { asReadFromStore } from '../support/builders/stored.ts';
import { allWork, breakable, works } from '../support/doubles/breakable.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';
import { refusalOf } from '../support/readers/refusal-of.ts';
import { shown } from '../support/readers/shown-run.ts';

const asks = { type: 'approval', title: 'May I?', write: {} } as const;
const eve = { sub: 'eve', roles: ['user'] };

const completed = (over: Partial<GraphDefinition> = {}): MemoryRun => startRun({ nodes: addsNames('a', 'b'), ...over });
const failed = (over: Partial<GraphDefinition> = {}): MemoryRun =>
  startRun({ nodes: { ...addsNames('a'), x: works('x'), ...addsNames('b') }, ...over }, failing);
const canceled = (over: Partial<GraphDefinition> = {}): MemoryRun => {
  const run = startRun({ nodes: { ...addsNames('a'), ask: asks, ...addsNames('b') }, ...over });
  run.signal('cancel', { reason: 'enough' });
  return run;
};
const ended = { completed, failed, canceled };

describe('a run that has ended', () => {
  const answers: readonly (readonly [string, JsonObject])[] = [
    ['approve', {}],
    ['reject', {}],
    ['pause', {}],
    ['resume', {}],
    ['event', { event: 'go' }],
    ['cancel', {}],
    ['fail', {}],
  ];
  const statuses = ['completed', 'failed', 'canceled'] as const;
  const over: readonly (readonly [(typeof statuses)[number], string, JsonObject])[] = [
    ...statuses.flatMap((status) => answers.map(([name, payload]) => [status, name, payload] as const)),
    ...(['completed', 'canceled'] as const).flatMap((status) => [
      [status, 'retry', {}] as const,
      [status, 'skip', { output: 'x' }] as const,
      [status, 'replan', { node: 'b' }] as const,
    ]),
  ];

  test.each(over)('a run that has ended as %s accepts no control %s', (status, name, payload) => {
    expect(refusalOf(ended[status](), name, payload)).toBe('not_allowed_now');
  });

  test('a run that has ended accepts no malformed and no unknown signal', () => {
    const run = failed();
    expect(refusalOf(run, 'retry', { output: 1 })).toBe('malformed');
    expect(refusalOf(run, 'nonsense', {})).toBe('unknown_signal');
  });
});

describe('a run whose work has been compensated', () => {
  const undo = { tool: 'notify', args: { key: 'undo' } } as const;
  const nodes = { a: works('a', { compensate: undo }), x: works('x'), ...addsNames('b') };
  const start = (): MemoryRun => startRun({ nodes }, breakable('x').outside);

  test.each<[string, JsonObject]>([
    ['retry', {}],
    ['retry', { node: 'x' }],
    ['skip', { output: 'x!' }],
    ['replan', { node: 'b' }],
    ['edit', { asNode: 'x' }],
  ])('a run whose work has been compensated can not be continued by %s %j', (name, payload) => {
    const run = start();
    expect(typesOf(run)).toContain('node.compensated');
    expect(refusalOf(run, name, payload)).toBe('not_allowed_now');
  });

  test('a run whose work has been compensated can still be edited', () => {
    const run = start();
    run.reopen('edit', { values: { log: 'x' } });
    expect([run.run.status, logOf(run)]).toEqual(['failed', ['a!', 'x']]);
  });
});

describe('a skip in a failed run', () => {
  test('a skip of the failed node continues a failed run with the output of a person', () => {
    const run = failed();
    run.reopen('skip', { output: 'by hand' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'by hand', 'b']]);
    expect(typesOf(run)).toContain('node.skipped');
  });

  test('a skip in a failed run is refused if the node can not write the output', () => {
    const channels = { log: { reducer: 'append' }, n: { reducer: 'sum' } } as const;
    const run = startRun({ channels, nodes: { x: works('x', { write: { n: '{{ result }}' } }) } }, failing);
    expect(refusalOf(run, 'skip', { output: 'many' })).toBe('malformed');
    run.reopen('skip', { output: 3 });
    expect(run.run).toMatchObject({ status: 'completed', output: { n: 3 } });
  });

  test('a skip names one of several failed nodes, and the run then fails at the others', () => {
    const { outside, calls } = breakable('x', 'y');
    const run = startRun({ nodes: allWork('x', 'y'), edges: [{ from: '__start__', to: ['x', 'y'] }] }, outside);
    expect(refusalOf(run, 'skip', { output: '-' })).toBe('intervention_id_required');
    run.reopen('skip', { node: 'y', output: '-' });
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'x' } });
    run.reopen('skip', { output: '-' });
    expect([run.run.status, logOf(run), calls]).toEqual(['completed', ['-', '-'], ['x:1:0:0', 'y:1:0:0']]);
  });

  test('a skip of a failed approval node requires the permission to decide the approval', () => {
    const run = startRun({ nodes: { ask: { ...asks, onReject: 'fail' } } });
    run.signal('reject', {});
    expect(run.run.error?.code).toBe('APPROVAL_REJECTED');
    expect(refusalOf(run, 'skip', { output: {}, by: eve })).toBe('not_an_approver');
    run.reopen('skip', { output: {} });
    expect(run.run.status).toBe('completed');
  });

  test('a skip is refused if the run failed at no node', () => {
    const run = startRun({ nodes: addsNames('a'), edges: [{ from: '__start__', route: "'x'", paths: {} }] });
    expect(refusalOf(run, 'skip', { output: 1 })).toBe('unknown_intervention');
  });
});

describe('a replan of a failed run', () => {
  test('a replan of a failed run continues at another node, with other values, and not at the failed one', () => {
    const run = failed();
    run.reopen('replan', { node: 'b', values: { log: 'by hand' } });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'by hand', 'b']]);
    expect(run.steps).toEqual([['a'], ['x'], ['b']]);
    expect(run.checkpoints.map(({ source, step, next }) => [source, step, next])).toEqual([
      ['input', -1, ['a']],
      ['loop', 0, ['x']],
      ['update', 1, ['b']],
      ['loop', 2, []],
    ]);
  });

  test('a replan to the failed node of a run counts as another visit of the node', () => {
    const { outside, broken, calls } = breakable('x');
    const run = startRun({ nodes: allWork('x') }, outside);
    broken.clear();
    run.reopen('replan', { node: 'x' });
    expect([run.run.status, calls]).toEqual(['completed', ['x:1:0:0', 'x:2:0:0']]);
  });

  test.each<[JsonObject, string]>([
    [{ node: 'nope' }, 'malformed'],
    [{}, 'malformed'],
    [{ node: 'b', values: { nope: 1 } }, 'invalid_values'],
  ])('a replan of a failed run with %j is refused: %s', (payload, reason) => {
    expect(refusalOf(failed(), 'replan', payload)).toBe(reason);
  });
});

describe('an edit of a run that has ended', () => {
  test.each(['completed', 'failed', 'canceled'] as const)(
    'an edit of a run that has ended as %s changes its state and leaves it ended',
    (status) => {
      const run = ended[status]();
      const { endedAt, output, error } = run.run;
      run.reopen('edit', { values: { log: 'x' }, signalId: 'd1' });
      expect(run.run).toMatchObject({ status, endedAt, output, error });
      expect(logOf(run)).toEqual(status === 'completed' ? ['a', 'b', 'x'] : ['a', 'x']);
      expect(run.checkpoints.at(-1)).toMatchObject({ source: 'update', changes: { log: { append: ['x'] } } });
      expect(run.run.signalResults).toEqual([{ id: 'd1', taken: true, value: run.run.checkpointId }]);
    },
  );

  test.each(['completed', 'failed', 'canceled'] as const)(
    'an edit as a node of a run that has ended as %s makes the run wait for a resume',
    (status) => {
      const run = ended[status]();
      run.reopen('edit', { values: { log: 'x' }, asNode: 'a', by: { sub: 'ada', roles: ['approver'] } });
      expect(run.run).toMatchObject({
        status: 'paused',
        endedAt: null,
        output: null,
        error: null,
        phase: { kind: 'paused' },
      });
      expect(run.events.at(-1)).toMatchObject({ type: 'run.paused', by: 'ada', nodes: [] });
      expect(toRunView(run.run).next).toEqual([{ completed: 'b', failed: 'x', canceled: 'ask' }[status]]);
    },
  );

  test('an ended run continues from an edit as a node with the resume that follows', () => {
    const run = completed();
    run.reopen('edit', { values: { log: 'x' }, asNode: 'a' });
    run.signal('resume', {});
    expect([run.run.status, run.run.output]).toEqual(['completed', { log: ['a', 'b', 'x', 'b'] }]);
    expect(run.run.root.visits).toEqual({ a: 1, b: 2 });
  });

  test('an edit as a node of a canceled run removes the cancellation', () => {
    const run = canceled();
    run.reopen('edit', { asNode: 'ask' });
    run.signal('resume', {});
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'b']]);
  });

  test.each(['completed', 'failed', 'canceled'] as const)(
    'an edit as the last node of a run that has ended as %s leaves it ended',
    (status) => {
      const run = ended[status]();
      const { endedAt } = run.run;
      run.reopen('edit', { values: { log: 'x' }, asNode: 'b' });
      expect(run.run).toMatchObject({ status, endedAt });
      expect(run.checkpoints.at(-1)).toMatchObject({ source: 'update', next: [] });
    },
  );

  test('an edit of an ended run as a node that leads to a deferred one only runs the deferred node', () => {
    const run = completed({ nodes: { ...addsNames('a'), b: { ...adds('b'), defer: true } } });
    run.reopen('edit', { asNode: 'a' });
    expect(run.run.status).toBe('paused');
    run.signal('resume', {});
    expect(run.steps).toEqual([['a'], ['b'], ['b']]);
  });

  test('an edit of a failed run is visible to the failed node on a retry', () => {
    const { outside, calls } = breakable('x');
    const channels = { log: { reducer: 'append' }, key: { default: 'x' } } as const;
    const run = startRun({ channels, nodes: { x: works('{{ state.key }}') } }, outside);
    run.reopen('edit', { values: { key: 'y' } });
    run.reopen('retry');
    expect([run.run.status, logOf(run), calls]).toEqual(['completed', ['y!'], ['x:1:0:0', 'x:1:0:1']]);
  });

  test('an edit of an ended run can be repeated, each on the result of the previous one', () => {
    const run = completed();
    for (const log of ['x', 'y']) run.reopen('edit', { values: { log }, checkpoint: run.run.checkpointId });
    expect(logOf(run)).toEqual(['a', 'b', 'x', 'y']);
  });

  test('an edit of ephemeral channels of an ended run leaves the others unchanged', () => {
    const channels = { log: { reducer: 'append' }, brief: { reducer: 'append', ephemeral: true } } as const;
    const run = startRun({ channels, nodes: { a: { type: 'set', write: { log: 'a', brief: 'b' } } } });
    run.reopen('edit', { values: { brief: 'x' } });
    expect(run.run.root.channels).toEqual({ log: ['a'], brief: ['x'] });
  });

  test.each<[JsonObject, string]>([
    [{ asNode: 'nope' }, 'malformed'],
    [{ values: { nope: 1 } }, 'invalid_values'],
    [{ values: { nope: 1 }, asNode: 'a' }, 'invalid_values'],
    [{ checkpoint: 'run-1.c1' }, 'stale'],
    [{ asNode: 'ask', by: eve }, 'not_an_approver'],
  ])('an edit of an ended run with %j is refused: %s', (payload, reason) => {
    expect(refusalOf(canceled(), 'edit', payload)).toBe(reason);
  });

  test('an edit as a node of an ended run is refused if the edges can not be evaluated on the edited state', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', route: 'state.log[0]', paths: { a: 'b' } },
    ];
    const run = completed({ edges });
    expect(refusalOf(run, 'edit', { values: { log: { $replace: ['z'] } }, asNode: 'a' })).toBe('invalid_values');
  });
});

test('a call that was open at the deadline of its run is requested again under its key, which the ledger knows', () => {
  const limits = { deadline: '1h' };
  const graph = compileGraph(aDefinition({ nodes: allWork('a'), limits }), aCatalog());
  const identity = {
    id: 'run-1',
    tenantId: 'acme',
    threadId: null,
    graph: { name: 'test', version: null, hash: 'h' },
    createdBy: { sub: 'uma', roles: [] },
    limits: limitsOfGraph(limits, DEFAULTS),
  };
  const first = begin(graph, identity, { input: {}, startedAt: 0 });
  const late = advance(graph, first.run, { kind: 'timer', id: DEADLINE_TIMER, at: 3_600_000 });
  const reply = { kind: 'value', value: 'a!' } as const;
  const answered = { kind: 'call.completed', key: 'run-1:a:1:0:0', reply, attempts: 1, durationMs: 1 } as const;
  const over = advance(graph, late.run, { ...answered, at: 3_600_001 });
  expect(shown(over.run).status).toBe('failed');
  const stored = asReadFromStore(over.run, { graph, checkpoints: first.checkpoints });
  const again = signalEndedRun(graph, stored, { now: 4_000_000, name: 'retry', payload: {} });
  expect(again.effects.flatMap((effect) => (effect.kind === 'call' ? [effect.key] : []))).toEqual([answered.key]);
  const done = advance(graph, again.run, { ...answered, at: 4_000_001 });
  expect(shown(done.run)).toMatchObject({ status: 'completed', output: { log: ['a!'] } });
});
