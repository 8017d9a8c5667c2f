import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { RunLimits } from '../../src/graph/run/limits.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, addsNames, failing, gives, logOf, startRun, typesOf } from '../support/builders/runs.ts';
import { allWork, breakable, works } from '../support/doubles/breakable.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';
import { refusalOf } from '../support/readers/refusal-of.ts';

const sideBySide = (...ids: readonly string[]): Partial<GraphDefinition> => ({
  nodes: allWork(...ids),
  edges: [{ from: '__start__', to: [...ids] }],
});

function startTight(over: Partial<GraphDefinition>, limits: Partial<RunLimits>, outside: Outside = {}): MemoryRun {
  return runInMemory({ definition: aDefinition(over), catalog: aCatalog(), input: {}, limits }, outside);
}

describe('a retry of a failed run', () => {
  test('a retry of a failed run makes the failed call under a new key, and repeats no other', () => {
    const { outside, broken, calls } = breakable('b');
    const run = startRun({ nodes: allWork('a', 'b', 'c') }, outside);
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'b' } });
    broken.clear();
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'completed', error: null, output: { log: ['a!', 'b!', 'c!'] } });
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0', 'b:1:0:1', 'c:1:0:0']);
  });

  test('a retry of a failed run is recorded, and continues the numbers of events and checkpoints', () => {
    const { outside, broken } = breakable('b');
    const run = startRun({ nodes: allWork('a', 'b') }, outside);
    broken.clear();
    run.reopen('retry', { by: { sub: 'eve', roles: [] } });
    expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at + 1));
    expect(run.checkpoints.map(({ id }) => id)).toEqual(['run-1.c1', 'run-1.c2', 'run-1.c3']);
    expect(run.events.find(({ type }) => type === 'run.retried')).toMatchObject({ node: 'b', by: 'eve', step: 1 });
    expect(typesOf(run).filter((type) => type.startsWith('run.'))).toEqual([
      'run.started',
      'run.failed',
      'run.retried',
      'run.completed',
    ]);
  });

  test('a retry of a failed run keeps the nodes that finished beside the failed one', () => {
    const { outside, broken, calls } = breakable('b');
    const run = startRun(sideBySide('a', 'b', 'c'), outside);
    broken.clear();
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a!', 'b!', 'c!']]);
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0', 'c:1:0:0', 'b:1:0:1']);
  });

  test('a retry of a failed run repeats every failed node', () => {
    const { outside, broken, calls } = breakable('a', 'c');
    const run = startRun(sideBySide('a', 'b', 'c'), outside);
    broken.clear();
    run.reopen('retry');
    expect([run.run.status, calls.slice(3)]).toEqual(['completed', ['a:1:0:1', 'c:1:0:1']]);
  });

  test.each([{ node: 'c' }, { id: 'c:1' }, { node: 'c', id: 'c:1' }])(
    'a retry of %j repeats only that node, and the run fails at the others as before',
    (payload) => {
      const { outside, broken, calls } = breakable('a', 'c');
      const run = startRun(sideBySide('a', 'b', 'c'), outside);
      broken.clear();
      run.reopen('retry', payload);
      expect(run.run).toMatchObject({ status: 'failed', error: { node: 'a', message: 'a is broken' } });
      run.reopen('retry');
      expect([run.run.status, calls.slice(3)]).toEqual(['completed', ['c:1:0:1', 'a:1:0:1']]);
    },
  );

  test.each([{ node: 'b' }, { node: 'nope' }, { id: 'a:2' }, { node: 'a', id: 'c:1' }])(
    'a retry of %j, which has not failed, is refused',
    (payload) => {
      const run = startRun(sideBySide('a', 'b', 'c'), breakable('a', 'c').outside);
      expect(refusalOf(run, 'retry', payload)).toBe('unknown_intervention');
    },
  );

  test('a retry of a failed run repeats the failed elements of a list', () => {
    const { outside, broken, calls } = breakable('1', '2');
    const nodes = { a: works('{{ string(item) }}') };
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', forEach: '[0, 1, 2, 3]', to: 'a', maxConcurrency: 2 },
    ];
    const run = startRun({ nodes, edges }, outside);
    broken.clear();
    run.reopen('retry', { id: 'a#1:1' });
    expect(run.run).toMatchObject({ status: 'failed', error: { message: '2 is broken' } });
    run.reopen('retry', { node: 'a' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['0!', '1!', '2!', '3!']]);
    expect(calls.slice(3)).toEqual(['a#1:1:0:1', 'a#2:1:0:1', 'a#3:1:0:0']);
  });

  test('a failed run can be retried any number of times', () => {
    const { outside, broken, calls } = breakable('b');
    const run = startRun({ nodes: allWork('a', 'b', 'c') }, outside);
    run.reopen('retry');
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'b' } });
    broken.clear();
    broken.add('c');
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'failed', error: { node: 'c' } });
    broken.clear();
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a!', 'b!', 'c!']]);
    expect(calls).toEqual(['a:1:0:0', 'b:1:0:0', 'b:1:0:1', 'b:1:0:2', 'b:1:0:3', 'c:1:0:0', 'c:1:0:1']);
  });

  test('a retry of a failed run is processed once, however often it is sent', () => {
    const { outside, calls } = breakable('a');
    const run = startRun({ nodes: allWork('a') }, outside);
    run.reopen('retry', { signalId: 'd1' });
    run.reopen('retry', { signalId: 'd1' });
    expect([run.run.status, calls.length]).toEqual(['failed', 2]);
    expect(run.run.signalResults).toEqual([{ id: 'd1', taken: true, value: null }]);
  });

  test('a retry of a failed run removes everything of the earlier end of the run', () => {
    const { outside, broken } = breakable('a');
    const asks = { type: 'approval', title: 'May I?' } as const;
    const run = startRun({ nodes: { a: works('a'), asks } }, outside);
    expect(run.run).toMatchObject({ endedAt: expect.any(Number), error: { code: 'TOOL_FAILED' } });
    broken.clear();
    run.reopen('retry');
    expect(run.run).toMatchObject({
      status: 'waiting',
      endedAt: null,
      error: null,
      output: null,
      phase: { kind: 'waiting' },
    });
  });

  test('a retry of a failed run repeats a function that ended the run by a command', () => {
    const keys: string[] = [];
    const outside: Outside = {
      function(_request, key) {
        keys.push(key);
        return keys.length === 1 ? { control: 'abort', reason: 'enough' } : 'well';
      },
    };
    const run = startRun({ nodes: { f: { ...gives(null), write: 'log' } } }, outside);
    expect(run.run.error).toMatchObject({ code: 'ABORTED', message: 'enough' });
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['well']]);
    expect(keys).toEqual(['run-1:f:1:0:0', 'run-1:f:1:0:1']);
  });

  test('a retry of a failed run repeats a node whose writes were refused, on the edited state', () => {
    const channels = { log: { reducer: 'append' }, n: { reducer: 'sum' }, give: { default: 'x' } } as const;
    const run = startRun({ channels, nodes: { a: { type: 'set', write: { n: '{{ state.give }}' } }, b: adds('b') } });
    expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 'a' });
    run.reopen('edit', { values: { give: 2 } });
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'completed', output: { n: 2, log: ['b'] } });
  });
});

describe('a retry of a run that failed inside a graph', () => {
  const inner = (over: Partial<GraphDefinition>) =>
    ({ type: 'subgraph', graph: aDefinition(over), write: { log: '{{ result.log }}' } }) as const;

  test('a retry of a run that failed inside a subgraph continues inside, at the failed node', () => {
    const { outside, broken, calls } = breakable('c');
    const run = startRun({ nodes: { s: inner({ nodes: allWork('a', 'c') }), z: works('z') } }, outside);
    broken.clear();
    run.reopen('retry', { node: 's' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a!', 'c!', 'z!']]);
    expect(calls).toEqual(['s.1.0/a:1:0:0', 's.1.0/c:1:0:0', 's.1.0/c:1:0:1', 'z:1:0:0']);
  });

  test('a retry of a run that failed inside several nested subgraphs continues in the innermost one', () => {
    const { outside, broken, calls } = breakable('c');
    const run = startRun({ nodes: { s: inner({ nodes: { t: inner(sideBySide('a', 'c')) } }) } }, outside);
    broken.clear();
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a!', 'c!']]);
    expect(calls).toEqual(['s.1.0/t.1.0/a:1:0:0', 's.1.0/t.1.0/c:1:0:0', 's.1.0/t.1.0/c:1:0:1']);
  });

  test('a retry of a run that failed inside a subgraph evaluates the edges inside again', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', route: "'nowhere'", paths: {} },
    ];
    const run = startRun({ nodes: { s: inner({ nodes: allWork('a'), edges }) } }, breakable().outside);
    expect(run.run.error).toMatchObject({ code: 'INVALID_ROUTE', node: 's' });
    run.reopen('retry');
    expect(typesOf(run).filter((type) => type === 'tool.called')).toHaveLength(1);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'INVALID_ROUTE', node: 's' } });
  });
});

describe('a retry of a run whose inner graph could not begin', () => {
  const channels = { log: { reducer: 'append' }, give: { default: 'x' } } as const;
  const inner = (over: Partial<GraphDefinition> = {}) =>
    ({
      type: 'subgraph',
      graph: aDefinition({
        channels: { n: { schema: { type: 'number' } }, way: {}, log: { reducer: 'append' } },
        nodes: { a: { type: 'set', write: { log: '{{ state.n }}' } } },
        ...over,
      }),
      input: { n: '{{ state.give }}' },
      write: { log: '{{ result.log }}' },
    }) as const;

  test("a retry of a run whose subgraph could not start fills the subgraph's input again from the edited state", () => {
    const run = startRun({ channels, nodes: { s: inner() } });
    expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 's' });
    run.reopen('edit', { values: { give: 5 } });
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', [5]]);
  });

  test("a retry of a run whose subgraph could not start fills the subgraph's input again if an edge of its start failed", () => {
    const s = inner({
      channels: { n: {}, log: { reducer: 'append' } },
      edges: [{ from: '__start__', route: 'string(state.n)', paths: { '5': 'a' } }],
    });
    const run = startRun({ channels, nodes: { s } });
    expect(run.run.error).toMatchObject({ code: 'INVALID_ROUTE', node: 's' });
    run.reopen('edit', { values: { give: 5 } });
    run.reopen('retry');
    expect([run.run.status, logOf(run)]).toEqual(['completed', [5]]);
  });

  test("a retry of a subgraph node that could not start and waits for an intervention fills the subgraph's input again", () => {
    const run = startRun({ channels, nodes: { s: { ...inner(), onError: 'intervene' } } });
    run.signal('edit', { values: { give: 5 } });
    run.signal('retry', {});
    expect([run.run.status, logOf(run)]).toEqual(['completed', [5]]);
  });

  test('a retry of a run whose subgraph could not start fails again if nothing was edited', () => {
    const run = startRun({ channels, nodes: { s: inner() } });
    run.reopen('retry');
    expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 's' });
  });
});

describe('a retry of a run that failed between two nodes', () => {
  const edges: GraphDefinition['edges'] = [
    { from: '__start__', to: 'a' },
    { from: 'a', route: 'state.log[size(state.log) - 1]', paths: { b: 'b' } },
  ];
  const definition = { nodes: { a: works('a'), ...addsNames('b') }, edges };

  test('a retry of a run that failed between two nodes evaluates the edges on the current state', () => {
    const { outside, calls } = breakable();
    const run = startRun(definition, outside);
    expect(run.run.error).toMatchObject({ code: 'INVALID_ROUTE', node: 'a', step: 0 });
    run.reopen('retry');
    expect(run.run.error).toMatchObject({ code: 'INVALID_ROUTE', node: 'a' });
    run.reopen('edit', { values: { log: 'b' } });
    run.reopen('retry');
    expect([run.run.status, logOf(run), calls]).toEqual(['completed', ['a!', 'b', 'b'], ['a:1:0:0']]);
  });

  test('a retry of a run that failed between two nodes records that only the run is retried', () => {
    const run = startRun(definition, breakable().outside);
    run.reopen('retry');
    const retried = run.events.find(({ type }) => type === 'run.retried');
    expect(retried).toEqual(expect.not.objectContaining({ node: expect.anything() }));
  });

  test.each([{ node: 'a' }, { id: 'a:1' }])(
    'a retry of a run that failed between two nodes can name no node: %j is refused',
    (payload) => {
      expect(refusalOf(startRun(definition, breakable().outside), 'retry', payload)).toBe('unknown_intervention');
    },
  );
});

describe('a retry of a run that reached a limit', () => {
  const loop = {
    nodes: addsNames('a'),
    edges: [
      { from: ['__start__'], to: 'a' },
      { from: 'a', to: 'a' },
    ],
  };
  const graphs = { maxSteps: 5, maxConcurrency: 5, deadline: '1h', maxTokens: 10, maxCostUsd: 1, maxToolCalls: 2 };

  test('a retry of a run that reached a limit continues with its counts, up to the raised limit', () => {
    const run = startTight({ ...loop, limits: graphs }, { maxSteps: 2 });
    expect([run.run.error?.code, run.steps.length]).toEqual(['GRAPH_RECURSION_LIMIT', 2]);
    run.reopen('retry', { limits: { maxSteps: 4 } });
    expect([run.run.error?.code, run.steps.length]).toEqual(['GRAPH_RECURSION_LIMIT', 4]);
    expect(run.run.limits).toMatchObject({ maxSteps: 4, maxConcurrency: 5, deadlineMs: 3_600_000, maxToolCalls: 2 });
  });

  test('a retry of a run that reached a limit fails at the same limit if it raises none', () => {
    const run = startTight({ ...loop, limits: graphs }, { maxSteps: 2 });
    run.reopen('retry');
    expect([run.run.error?.code, run.steps.length]).toEqual(['GRAPH_RECURSION_LIMIT', 2]);
  });

  test.each<JsonObject>([
    { maxSteps: 6 },
    { maxConcurrency: 6 },
    { deadline: '61m' },
    { maxTokens: 11 },
    { maxCostUsd: 1.5 },
    { maxToolCalls: 3 },
  ])('a retry with %j that exceeds the limits of the graph is refused', (limits) => {
    const run = startTight({ ...loop, limits: graphs }, { maxSteps: 2 });
    run.reopen('retry', { limits, signalId: 'd1' });
    const [name = ''] = Object.keys(limits);
    expect(run.run).toMatchObject({ status: 'failed', limits: { maxSteps: 2 } });
    expect(run.run.signalResults).toMatchObject([
      { taken: false, refusal: { code: 'LIMIT_TOO_LOOSE', issues: [{ path: `/limits/${name}` }] } },
    ]);
  });

  test.each<Json>([{ maxSteps: 0 }, { deadline: 'soon' }, { nope: 1 }, 7])(
    'a retry with the limits %j is refused',
    (limits) => {
      const run = startTight({ ...loop, limits: graphs }, { maxSteps: 2 });
      expect(refusalOf(run, 'retry', { limits })).toBe('malformed');
    },
  );

  test('a retry of a run that reached a limit may raise its budget of calls', () => {
    const run = startTight({ nodes: allWork('a', 'b') }, { maxToolCalls: 1 }, breakable().outside);
    expect(run.run.error).toMatchObject({ code: 'BUDGET_EXCEEDED', node: 'b' });
    run.reopen('retry', { limits: { maxToolCalls: 2 } });
    expect(run.run).toMatchObject({ status: 'completed', spent: { toolCalls: 2 } });
  });

  test('a retry of a run that reached a limit may raise limits while a node waits for an intervention', () => {
    const limits = { maxToolCalls: 3 };
    const run = startTight(
      { nodes: { a: works('a', { onError: 'intervene' }) }, limits },
      { maxToolCalls: 1 },
      failing,
    );
    run.signal('retry', { limits: { maxToolCalls: 4 } });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'limit_too_loose' });
    run.signal('retry', { limits });
    expect(run.run).toMatchObject({ status: 'waiting', limits, spent: { toolCalls: 2 } });
  });

  test('a retry reports all limits that it and earlier retries have raised', () => {
    const nodes = { a: works('a', { onError: 'intervene' }), b: works('b', { onError: 'intervene' }) };
    const edges = [{ from: '__start__', to: ['a', 'b'] }];
    const run = startTight({ nodes, edges, limits: { ...graphs, maxToolCalls: 9 } }, {}, breakable('a', 'b').outside);
    run.signal('retry', { node: 'a', limits: { maxSteps: 4 } });
    run.signal('retry', { node: 'b', limits: { deadline: '30m' } });
    expect(toRunView(run.run).raisedLimits).toEqual({ maxSteps: 4, deadline: '30m' });
  });
});

describe('a retry of a run whose deadline expired', () => {
  const nodes = {
    ask: { type: 'approval', title: 'May I?', write: {} },
    go: { type: 'wait', event: 'go', timeout: '3h', write: 'log' },
    s: { type: 'subgraph', graph: aDefinition({ nodes: { in: { type: 'wait', for: '2h', write: 'log' } } }) },
  } as const;
  const late = (): MemoryRun => {
    const run = startRun({ nodes, edges: [{ from: '__start__', to: ['ask', 'go', 's'] }], limits: { deadline: '1h' } });
    run.passTime(3_600_000);
    return run;
  };

  test('a retry of a run whose deadline expired renews approvals and timers, and restarts the deadline', () => {
    const run = late();
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' }, timers: {} });
    expect(run.run.approvals).toMatchObject({ 'run-1.a1': { status: 'canceled' } });
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'waiting', countdown: { leftMs: 3_600_000 } });
    expect(run.run.approvals).toMatchObject({ 'run-1.a1': { status: 'canceled' }, 'run-1.a2': { status: 'pending' } });
    expect(Object.keys(run.run.timers).toSorted()).toEqual([
      'deadline',
      'go.1.0.timer',
      'run-1.a2.timeout',
      's.1.0/in.1.0.timer',
    ]);
  });

  test('a retry of a run whose deadline expired accepts the recorded answers, and its restarted deadline expires', () => {
    const run = late();
    run.reopen('retry', { limits: { deadline: '1h' } });
    run.signal('approve', {});
    run.signal('event', { event: 'go', payload: 'gone' });
    run.passTime(3_000_000);
    expect(run.run.status).toBe('waiting');
    run.passTime(600_000);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
  });
});
