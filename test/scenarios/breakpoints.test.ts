import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { adds, addsNames, logOf, startRun, typesOf } from '../support/builders/runs.ts';

const ADA = { sub: 'ada', roles: ['approver'] };
const nodes = addsNames('a', 'b');
const asks = (over: object = {}) =>
  ({ type: 'approval', title: 'May I?', write: { log: '{{ result.decision }}' }, ...over }) as const;

describe('a breakpoint', () => {
  test.each([
    [{ interruptBefore: ['b'] }, 1, [['a']], ['b']],
    [{ interruptAfter: ['a'] }, 1, [['a']], ['b']],
    [{ interruptAfter: ['b'] }, 1, [['a'], ['b']], []],
    [{ interruptBefore: ['*'] }, 2, [], ['a']],
    [{ interruptAfter: ['*'] }, 2, [['a']], ['b']],
    [{ interruptBefore: ['*'], interruptAfter: ['*'] }, 4, [], ['a']],
  ])('a breakpoint in the definition %j stops a run of two nodes %i times', (...[over, times, steps, next]) => {
    const run = startRun({ nodes, ...over });
    expect([run.run.status, run.steps]).toEqual(['paused', steps]);
    expect(toRunView(run.run).next).toEqual(next);
    for (let left = times; left > 0; left -= 1) {
      expect(run.run.status).toBe('paused');
      run.signal('resume', {});
    }
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'b']]);
    expect(typesOf(run).filter((type) => type === 'run.paused')).toHaveLength(times);
  });

  test('a breakpoint stops the run at every visit of its node', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: [{ when: 'size(state.log) < 3', to: 'a' }] },
    ];
    const run = startRun({ nodes: addsNames('a'), edges, interruptBefore: ['a'] });
    for (const log of [['a'], ['a', 'a'], ['a', 'a', 'a']]) {
      expect(run.run.status).toBe('paused');
      run.signal('resume', {});
      expect(logOf(run)).toEqual(log);
    }
    expect(run.run.status).toBe('completed');
  });

  const routed: Partial<GraphDefinition> = {
    nodes: addsNames('a', 'b', 'c'),
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', branches: [{ when: "'x' in state.log", to: 'c' }, { to: 'b' }] },
    ],
  };

  test.each([
    [{ interruptAfter: ['a'] }, [['a'], ['c']]],
    [{ interruptBefore: ['b'] }, [['a'], ['b']]],
  ])('a breakpoint in the definition %j accepts values for the run, which lead to the nodes %j', (...[over, steps]) => {
    const run = startRun({ ...routed, ...over });
    run.signal('resume', { values: { log: 'x' } });
    expect(run.steps).toEqual(steps);
    expect(run.checkpoints.map(({ source }) => source)).toContain('update');
    expect(logOf(run)).toEqual(['a', 'x', steps[1]?.[0]]);
  });

  test.each<JsonObject>([{ nope: 1 }, { log: 1, nope: 2 }, { toString: 1 }, { all: 'x' }])(
    'the resume at a breakpoint refuses the values %j',
    (values) => {
      const channels = { log: { reducer: 'append' }, all: { reducer: 'and' } } as const;
      const run = startRun({ nodes, channels, interruptAfter: ['a'] });
      const before = run.run.root;
      run.signal('resume', { values });
      expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'invalid_values' });
      expect([run.run.status, run.run.root]).toEqual(['paused', before]);
    },
  );

  test('a breakpoint refuses a resume for another checkpoint than the current one', () => {
    const run = startRun({ nodes, interruptAfter: ['a'] });
    run.signal('resume', { checkpoint: 'run-1.c1' });
    expect(run.run.status).toBe('paused');
    run.signal('resume', { checkpoint: run.run.checkpointId });
    expect(run.run.status).toBe('completed');
  });

  test('a breakpoint stops only before the nodes that it names, not before others', () => {
    const edges: GraphDefinition['edges'] = [{ from: '__start__', to: ['a', 'b'] }];
    const run = startRun({ nodes, edges, interruptBefore: ['b'], interruptAfter: ['a'] });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.paused', nodes: ['b'] });
    run.signal('resume', {});
    expect(run.events.at(-1)).toMatchObject({ type: 'run.paused', nodes: ['a'] });
  });

  test('a breakpoint after a node whose edges fail has no next nodes, and the run fails when it continues', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'a' },
      { from: 'a', route: "'x'", paths: { y: 'b' } },
    ];
    const run = startRun({ nodes, edges, interruptAfter: ['a'] });
    expect([run.run.status, toRunView(run.run).next]).toEqual(['paused', []]);
    run.signal('resume', {});
    expect(run.run.error).toMatchObject({ code: 'INVALID_ROUTE', node: 'a' });
  });
});

describe('pausing', () => {
  test('pausing is refused for a paused run, and resuming for any other run', () => {
    const run = startRun({ nodes: { ask: asks() } });
    run.signal('resume', {});
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
    run.signal('pause', {});
    run.signal('pause', {});
    expect(typesOf(run).slice(-2)).toEqual(['run.paused', 'signal.ignored']);
  });

  test('pausing a waiting run lets it accept decisions, and continue when it is resumed', () => {
    const run = startRun({ nodes: { ask: asks(), b: adds('b') } });
    run.signal('pause', { reason: 'lunch', by: ADA });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.paused', reason: 'lunch', by: 'ada', nodes: [] });
    run.signal('approve', { by: ADA });
    expect(run.run).toMatchObject({ status: 'paused', approvals: { 'run-1.a1': { status: 'approved' } } });
    expect(run.steps).toEqual([['ask']]);
    run.signal('resume', {});
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['approved', 'b']]);
  });

  test('pausing a run does not stop the processing of timers and events', () => {
    const edges: GraphDefinition['edges'] = [{ from: '__start__', to: ['t', 'e'] }];
    const run = startRun({ nodes: { t: { type: 'wait', for: '1h' }, e: { type: 'wait', event: 'go' } }, edges });
    run.signal('pause', {});
    run.passTime(3_600_000);
    run.signal('event', { event: 'go' });
    expect([run.run.status, toRunView(run.run).waitingFor]).toEqual(['paused', []]);
    run.signal('resume', {});
    expect(run.run.status).toBe('completed');
  });

  test('pausing a run during an open call stops it after its superstep', () => {
    let pause = (): void => {};
    const outside = { tool: () => (pause(), 'done') };
    const run = startRun(
      { nodes: { ask: asks(), t: { type: 'tool', tool: 'charge', args: { key: 'k' } }, b: adds('b') } },
      outside,
    );
    pause = () => run.signal('pause', {});
    run.signal('approve', {});
    expect(run.steps).toEqual([['ask'], ['t']]);
    expect(run.run.status).toBe('paused');
  });
});

describe('a replan', () => {
  const policy = { roles: ['boss'] };

  test('a replan discards the open superstep and continues at the named node', () => {
    const run = startRun({ nodes: { ask: asks(), ...addsNames('b', 'c') } });
    run.signal('replan', { node: 'c', values: { log: 'x' }, by: ADA });
    expect([run.run.status, run.steps, logOf(run)]).toEqual(['completed', [['ask'], ['c']], ['x', 'c']]);
    expect(run.run).toMatchObject({ timers: {}, approvals: { 'run-1.a1': { status: 'canceled' } } });
  });

  test('a replan leaves a breakpoint for another node', () => {
    const run = startRun({ nodes: addsNames('a', 'b', 'c'), interruptBefore: ['b'] });
    run.signal('replan', { node: 'c' });
    expect([run.run.status, run.steps]).toEqual(['completed', [['a'], ['c']]]);
    expect(typesOf(run)).toContain('run.resumed');
  });

  test.each([
    [{ node: 'ask2', by: ADA }, 'malformed'],
    [{ by: ADA }, 'malformed'],
    [{ node: 'b', by: ADA }, 'not_an_approver'],
    [{ node: 'b', values: { nope: 1 }, by: { sub: 'eve', roles: ['boss'] } }, 'invalid_values'],
  ])('a replan with %j is refused if it bypasses an approval by the role boss', (...[payload, reason]) => {
    const run = startRun({ nodes: { ask: asks({ policy }), b: adds('b') } });
    const before = run.run.root;
    run.signal('replan', payload);
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason });
    expect(run.run).toMatchObject({ status: 'waiting', root: before });
  });

  test('a replan is allowed to a person who may decide the skipped approvals', () => {
    const run = startRun({ nodes: { ask: asks({ policy }), b: adds('b') } });
    run.signal('replan', { node: 'b', by: { sub: 'eve', roles: ['boss'] } });
    expect(run.run.status).toBe('completed');
  });

  test('a replan keeps the deadline of the run', () => {
    const wait = { type: 'wait', event: 'go' } as const;
    const run = startRun({ nodes: { w: wait, v: wait }, limits: { deadline: '1h' } });
    run.signal('replan', { node: 'v' });
    expect(run.run.status).toBe('waiting');
    run.passTime(3_600_000);
    expect(run.run.error?.code).toBe('DEADLINE_EXCEEDED');
  });
});
