import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { adds, decideLast, logOf, startRun } from '../support/builders/runs.ts';
import { CallFailure } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

const MINUTE = 60_000;
const asks = { type: 'approval', title: 'May I?' } as const;
const pays = { type: 'tool', tool: 'charge', args: { key: 'k' }, write: { log: '{{ result }}' } } as const;
const waits = { type: 'wait', event: 'go' } as const;
const silent: Outside = { next: () => null };

/** A node with an inner graph and a deadline of one hour. The log of the inner graph is added to the log. */
function hourly(over: Partial<GraphDefinition>, more: object = {}): NodeDefinition {
  return { type: 'subgraph', graph: aDefinition(over), deadline: '1h', write: { log: '{{ result.log }}' }, ...more };
}

const failedEvents = ({ events }: MemoryRun): unknown[] =>
  events.flatMap((event) => (event.type === 'node.failed' ? [[event.node, event.error.code, event.index]] : []));

const timersOf = ({ run }: MemoryRun): string[] => Object.keys(run.timers);

describe('a subgraph', () => {
  test('a subgraph that exceeds its deadline fails, and its approvals are withdrawn', () => {
    const nodes = { ask: asks, w: { ...waits, timeout: '3h' }, low: { type: 'set' } } as const;
    const graph = { nodes, edges: [{ from: '__start__', to: ['ask', 'w', 'low'] }] };
    const run = startRun({ nodes: { sub: hourly(graph) } });
    run.passTime(59 * MINUTE);
    expect(run.run.status).toBe('waiting');
    run.passTime(MINUTE);
    const error = { code: 'TIMEOUT', message: "The subgraph's deadline of 1h is over", node: 'sub' };
    expect(run.run).toMatchObject({ status: 'failed', error, timers: {} });
    expect(run.run.approvals['run-1.a1']?.status).toBe('canceled');
    expect(failedEvents(run)).toEqual([['sub', 'TIMEOUT', undefined]]);
  });

  test('a subgraph that finishes in time leaves no timer', () => {
    const run = startRun({ nodes: { sub: hourly({ nodes: { w: waits, x: adds('x') } }), next: waits } });
    expect(timersOf(run)).toHaveLength(1);
    run.signal('event', { event: 'go' });
    expect([timersOf(run), run.run.status, logOf(run)]).toEqual([[], 'waiting', ['x']]);
    run.passTime(120 * MINUTE);
    expect(run.run.status).toBe('waiting');
  });

  test('a subgraph that never waits starts no timer', () => {
    const { run } = startRun({ nodes: { sub: hourly({ nodes: { x: adds('x') } }) } });
    expect(run).toMatchObject({ status: 'completed', timers: {} });
  });

  test.each<[string, object, number, unknown]>([
    ['continues at another node', { onError: { to: 'z', write: { log: '{{ error.code }}' } } }, 0, ['TIMEOUT', 'z']],
    ['waits for a person', { onError: 'intervene' }, 1, []],
  ])('a subgraph that exceeds its deadline %s, as its onError declares', (...[, more, waiting, log]) => {
    const nodes = { sub: hourly({ nodes: { w: waits } }, more), z: adds('z') };
    const run = startRun({ nodes, edges: [{ from: '__start__', to: 'sub' }] });
    run.passTime(60 * MINUTE);
    expect(toRunView(run.run).waitingFor).toHaveLength(waiting);
    expect(logOf(run)).toEqual(log);
  });

  test('a subgraph continues from its saved progress on a retry, with its whole deadline', () => {
    const inner = { a: adds('a'), w: waits, b: adds('b') };
    const run = startRun({ nodes: { sub: hourly({ nodes: inner }, { onError: 'intervene' }) } });
    run.passTime(60 * MINUTE);
    run.signal('retry', {});
    expect(run.run.status).toBe('waiting');
    run.passTime(59 * MINUTE);
    expect(failedEvents(run)).toHaveLength(1);
    run.signal('event', { event: 'go' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'b']]);
    expect(run.events.filter((event) => event.type === 'node.started' && event.node === 'a')).toHaveLength(1);
  });

  test('a subgraph may exceed its deadline again after a retry, even if the run had failed', () => {
    const run = startRun({ nodes: { sub: hourly({ nodes: { w: waits } }) } });
    run.passTime(60 * MINUTE);
    run.reopen('retry');
    expect([run.run.status, timersOf(run).length]).toEqual(['waiting', 1]);
    run.passTime(60 * MINUTE);
    expect(run.run.error?.code).toBe('TIMEOUT');
    run.reopen('retry');
    run.signal('event', { event: 'go' });
    expect(run.run.status).toBe('completed');
  });

  test('a subgraph that exceeded its deadline renews its approvals on a retry', () => {
    const graph = { nodes: { ask: asks, w: waits }, edges: [{ from: '__start__', to: ['ask', 'w'] }] };
    const run = startRun({ nodes: { sub: hourly(graph, { onError: 'intervene' }) } });
    run.passTime(60 * MINUTE);
    run.signal('retry', {});
    expect(toRunView(run.run).waitingFor).toMatchObject([{ id: 'run-1.a2' }, { kind: 'event' }]);
    decideLast(run, 'approve', {});
    run.signal('event', { event: 'go' });
    expect(run.run.status).toBe('completed');
  });
});

describe('the deadline of a subgraph that waits for people', () => {
  const declines: Outside = {
    tool: () => {
      throw new CallFailure('TOOL_FAILED', 'declined');
    },
  };

  test.each<[string, Partial<GraphDefinition>, string, JsonObject]>([
    ['an approval', { nodes: { ask: asks, w: waits } }, 'approve', {}],
    ['an intervention', { nodes: { a: { ...pays, onError: 'intervene' }, w: waits } }, 'skip', { output: 1 }],
    ['a breakpoint', { nodes: { a: adds('a'), w: waits }, interruptAfter: ['a'] }, 'resume', {}],
    ['an approval in a nested subgraph', { nodes: { low: hourly({ nodes: { ask: asks, w: waits } }) } }, 'approve', {}],
  ])('the deadline of a subgraph stops while the subgraph only waits for %s', (...[, graph, signal, payload]) => {
    const run = startRun({ nodes: { sub: hourly({ ...graph }) } }, declines);
    expect(timersOf(run).filter((id) => id.includes('deadline'))).toEqual([]);
    run.passTime(300 * MINUTE);
    expect(failedEvents(run).filter((event) => JSON.stringify(event).includes('TIMEOUT'))).toEqual([]);
    run.signal(signal, payload);
    run.passTime(59 * MINUTE);
    expect(run.run.status).toBe('waiting');
    run.passTime(MINUTE);
    expect(run.run.error?.code).toBe('TIMEOUT');
  });

  test('the deadline of a subgraph stops in a pause, and keeps the remaining time', () => {
    const run = startRun({ nodes: { sub: hourly({ nodes: { w: waits } }) } });
    run.passTime(40 * MINUTE);
    run.signal('pause', {});
    expect([run.run.status, timersOf(run)]).toEqual(['paused', []]);
    run.passTime(300 * MINUTE);
    run.signal('resume', {});
    run.passTime(19 * MINUTE);
    expect(run.run.status).toBe('waiting');
    run.passTime(MINUTE);
    expect(run.run.error?.code).toBe('TIMEOUT');
  });

  test('the deadline of a subgraph stops while only an open call elsewhere delays a pause of the run', () => {
    const nodes = { sub: hourly({ nodes: { w: waits, x: adds('x') } }), pay: pays };
    const run = startRun({ nodes, edges: [{ from: '__start__', to: ['sub', 'pay'] }] }, silent);
    run.signal('pause', {});
    run.signal('event', { event: 'go' });
    expect([run.run.status, timersOf(run)]).toEqual(['running', []]);
  });

  test('the deadline of a subgraph stops even if other elements wait behind those that request approvals', () => {
    const graph = aDefinition({ nodes: { ask: asks } });
    const edges = [{ from: '__start__', forEach: '[1, 2, 3]', to: 'sub', maxConcurrency: 1 }];
    const inner = { channels: {}, nodes: { sub: { type: 'subgraph', graph } }, edges } as const;
    const run = startRun({ nodes: { top: hourly(inner, { write: {} }) } });
    expect(timersOf(run)).toEqual(['run-1.a1.timeout']);
  });

  test('the deadline of a subgraph does not stop while another node in it works', () => {
    const graph = { nodes: { ask: asks, pay: pays }, edges: [{ from: '__start__', to: ['ask', 'pay'] }] };
    const run = startRun({ nodes: { sub: hourly(graph) } }, silent);
    expect(timersOf(run).filter((id) => id.includes('deadline'))).toHaveLength(1);
  });

  test('the deadline of a subgraph does not stop while a call waits for other calls to return', () => {
    const nodes = { busy: pays, sub: hourly({ nodes: { pay: pays } }) };
    const edges = [{ from: '__start__', to: ['busy', 'sub'] }];
    const run = startRun({ nodes, edges, limits: { maxConcurrency: 1 } }, silent);
    expect(run.out).toHaveLength(1);
    const late = startRun({ nodes: { sub: hourly({ nodes, edges }) }, limits: { maxConcurrency: 1 } }, silent);
    expect(timersOf(late)).toHaveLength(1);
  });
});

describe('deadlines of several subgraphs', () => {
  const inner = (deadline: string, more: object = {}): NodeDefinition =>
    hourly({ nodes: { w: waits } }, { deadline, ...more });

  test('an inner subgraph whose deadline expires fails inside, and the outer graph continues', () => {
    const low = inner('10m', { onError: { to: 'x' } });
    const graph = { nodes: { low, x: waits }, edges: [{ from: '__start__', to: 'low' }] };
    const run = startRun({ nodes: { top: hourly(graph) } });
    run.passTime(10 * MINUTE);
    expect(failedEvents(run)).toEqual([['low', 'TIMEOUT', undefined]]);
    run.passTime(50 * MINUTE);
    expect(run.run.error).toMatchObject({ code: 'TIMEOUT', node: 'top' });
  });

  test('an outer subgraph whose deadline expires fails with everything inside, and a retry begins again with a new deadline', () => {
    const run = startRun({
      nodes: { top: hourly({ nodes: { a: adds('a'), low: inner('2h') } }, { onError: 'intervene' }) },
    });
    run.passTime(60 * MINUTE);
    expect([failedEvents(run), timersOf(run)]).toEqual([[['top', 'TIMEOUT', undefined]], []]);
    run.signal('retry', {});
    expect(Object.values(run.run.timers).map(({ taskPath }) => taskPath)).toEqual([['top'], ['top', 'low']]);
    run.signal('event', { event: 'go' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a']]);
  });

  test('an outer subgraph passes the expired deadline of an inner one on as its own failure', () => {
    const run = startRun({ nodes: { top: hourly({ nodes: { low: inner('10m') } }) } });
    run.passTime(10 * MINUTE);
    expect(run.run.error).toMatchObject({ code: 'TIMEOUT', node: 'top' });
  });

  test('each element of a forEach over a subgraph has its own deadline', () => {
    const graph = { channels: { e: {}, log: {} }, nodes: { w: { type: 'wait', event: '{{ state.e }}' } } } as const;
    const sub = hourly(graph, { input: { e: '{{ item }}' }, onError: 'intervene', write: {} });
    const edges = [{ from: '__start__', forEach: '["a", "b", "c"]', to: 'sub', maxConcurrency: 2 }];
    const run = startRun({ nodes: { sub }, edges });
    run.passTime(30 * MINUTE);
    run.signal('event', { event: 'a' });
    run.passTime(30 * MINUTE);
    expect(failedEvents(run)).toEqual([['sub', 'TIMEOUT', 1]]);
    run.passTime(30 * MINUTE);
    expect(failedEvents(run)).toEqual([
      ['sub', 'TIMEOUT', 1],
      ['sub', 'TIMEOUT', 2],
    ]);
  });

  test('each visit of a subgraph has its own deadline', () => {
    const branches = [{ when: 'size(state.log) < 2', to: 'sub' }];
    const sub = hourly({ nodes: { w: waits, x: adds('x') } });
    const edges = [
      { from: '__start__', to: 'sub' },
      { from: 'sub', branches },
    ];
    const run = startRun({ nodes: { sub }, edges });
    run.passTime(50 * MINUTE);
    run.signal('event', { event: 'go' });
    run.passTime(50 * MINUTE);
    run.signal('event', { event: 'go' });
    expect(run.run.status).toBe('completed');
  });

  test('a subgraph whose inner failure leads back to itself in one advance begins again inside, with a new deadline', () => {
    const low = hourly({ nodes: { w: waits } }, { deadline: '2h', write: {} });
    const sub = hourly({ nodes: { low } }, { onError: { to: 'again' }, write: {} });
    const edges = [
      { from: '__start__', to: 'sub' },
      { from: 'again', to: 'sub' },
    ];
    const run = startRun({ nodes: { sub, again: { type: 'set' } }, edges });
    run.passTime(60 * MINUTE);
    expect(run.run).toMatchObject({ status: 'waiting' });
    run.signal('event', { event: 'go' });
    expect(run.run.status).toBe('completed');
  });
});

describe('a wait', () => {
  const start = (over: object): MemoryRun =>
    startRun({
      nodes: { w: { type: 'wait', deadline: '1h', write: { log: ['{{ result }}'] }, ...over } },
    });

  test.each<[object]>([
    [{ event: 'go' }],
    [{ for: '2h' }],
    [{ until: '2027-01-01T00:00:00Z' }],
    [{ event: 'go', timeout: '2h' }],
  ])('a wait for %j fails after the deadline of its node', (over) => {
    const run = start(over);
    expect(toRunView(run.run).waitingFor).toMatchObject([{ deadline: '2026-01-02T04:04:05.000Z' }]);
    run.passTime(60 * MINUTE - 1_000);
    expect(run.run.status).toBe('waiting');
    run.passTime(1_000);
    const message = "The wait's deadline of 1h is over";
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT', message }, timers: {} });
  });

  test.each<[object]>([
    [{ for: '30m' }],
    [{ for: '1h' }],
    [{ event: 'go', timeout: '30m' }],
    [{ event: 'go', timeout: '1h' }],
  ])('a wait for %j continues if its time comes no later than the deadline of the node', (over) => {
    const run = start(over);
    expect(timersOf(run)).toHaveLength(1);
    run.passTime(60 * MINUTE);
    expect([run.run.status, logOf(run), run.run.timers]).toEqual(['completed', [null], {}]);
  });

  test('a wait for an event receives the event before the deadline, and leaves no timer', () => {
    const run = start({ event: 'go', timeout: '2h' });
    expect(timersOf(run)).toHaveLength(2);
    run.signal('event', { event: 'go', payload: 7 });
    expect([run.run.status, logOf(run), run.run.timers]).toEqual(['completed', [7], {}]);
  });

  test('a wait that exceeded its deadline waits again on a retry, with its whole deadline', () => {
    const run = start({ event: 'go', onError: 'intervene' });
    run.passTime(60 * MINUTE);
    run.signal('retry', {});
    run.passTime(59 * MINUTE);
    expect(run.run.status).toBe('waiting');
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'event' }]);
    run.passTime(MINUTE);
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention' }]);
  });

  test('a wait stops its deadline during a pause', () => {
    const run = start({ event: 'go' });
    run.signal('pause', {});
    expect(toRunView(run.run).waitingFor).toEqual([
      { kind: 'event', node: 'w', id: 'go', since: '2026-01-02T03:04:05.000Z' },
    ]);
    run.passTime(300 * MINUTE);
    run.signal('resume', {});
    run.passTime(59 * MINUTE);
    expect(run.run.status).toBe('waiting');
  });
});

describe('the deadline of other nodes', () => {
  test('the deadline of an approval or set node has no effect', () => {
    const nodes = { s: { ...adds('s'), deadline: '1ms' }, ask: { ...asks, deadline: '1h' } };
    const run = startRun({ nodes });
    expect(timersOf(run)).toEqual(['run-1.a1.timeout']);
    run.passTime(120 * MINUTE);
    run.signal('approve', {});
    expect(run.run.status).toBe('completed');
  });

  test('a deadline limits the last node of a canceled run', () => {
    const nodes = { w: waits, last: { ...waits, deadline: '1h' } };
    const run = startRun({ nodes, edges: [{ from: '__start__', to: 'w' }], onCancel: 'last' });
    run.signal('cancel', {});
    expect([run.run.status, timersOf(run).length]).toEqual(['running', 1]);
    run.passTime(60 * MINUTE);
    expect(run.run).toMatchObject({ status: 'canceled', timers: {} });
    expect(failedEvents(run)).toEqual([['last', 'TIMEOUT', undefined]]);
  });

  test('the deadline of a node has its full time again in a fork', () => {
    const run = startRun({ nodes: { a: adds('a'), sub: hourly({ nodes: { w: waits } }) } });
    run.passTime(50 * MINUTE);
    const fork = run.fork('run-1.c2');
    if ('code' in fork) throw new Error(fork.message);
    const [deadline] = Object.values(fork.run.timers);
    expect(deadline?.fireAt).toBe(fork.run.startedAt + 60 * MINUTE);
    fork.passTime(110 * MINUTE + 1_000);
    expect(fork.run.error?.code).toBe('TIMEOUT');
  });
});
