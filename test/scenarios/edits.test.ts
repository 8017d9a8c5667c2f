import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { addsNames, logOf, startRun, typesOf } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const asks = { type: 'approval', title: 'May I?', policy: { roles: ['approver'] } } as const;
const edges: GraphDefinition['edges'] = [
  { from: '__start__', to: 'ask' },
  { from: 'ask', branches: [{ when: "'x' in state.log", to: 'b' }, { to: 'c' }] },
  { from: 'b', route: 'state.log[0]', paths: { x: 'c' } },
];
const definition: Partial<GraphDefinition> = { nodes: { ask: asks, ...addsNames('b', 'c') }, edges };

describe('an edit', () => {
  test('an edit of the state keeps the open superstep', () => {
    const run = startRun(definition);
    run.signal('edit', { values: { log: 'x' } });
    expect(run.run).toMatchObject({ status: 'waiting', approvals: { 'run-1.a1': { status: 'pending' } } });
    run.signal('approve', {});
    expect([run.steps, logOf(run)]).toEqual([
      [['ask'], ['b'], ['c']],
      ['x', 'b', 'c'],
    ]);
  });

  test.each([
    [{ values: { log: 'x' }, asNode: 'ask' }, [['ask'], ['b'], ['c']]],
    [{ values: {}, asNode: 'ask' }, [['ask'], ['c']]],
    [{ asNode: 'c' }, [['ask']]],
  ])('an edit as a node, %j, drops the open superstep and evaluates the edges of the node', (...[payload, steps]) => {
    const run = startRun(definition);
    run.signal('edit', payload);
    expect([run.run.status, run.steps]).toEqual(['completed', steps]);
    expect(run.run.approvals).toMatchObject({ 'run-1.a1': { status: 'canceled' } });
  });

  test('an edit of a paused run keeps it paused', () => {
    const run = startRun({ ...definition, interruptBefore: ['ask'] });
    run.signal('edit', { values: { log: 'x' }, asNode: 'ask' });
    expect([run.run.status, run.steps]).toEqual(['paused', []]);
    run.signal('resume', {});
    expect(run.steps).toEqual([['b'], ['c']]);
  });

  test('an edit at a breakpoint after a node changes the next nodes', () => {
    const run = startRun({ ...definition, interruptAfter: ['ask'] });
    run.signal('approve', {});
    expect(run.run.root.at).toMatchObject({ kind: 'after', nodes: ['ask'], next: ['c'] });
    run.signal('edit', { values: { log: 'x' } });
    expect(run.run.root.at).toMatchObject({ kind: 'after', nodes: ['ask'], next: ['b'] });
    run.signal('resume', {});
    expect(run.steps).toEqual([['ask'], ['b'], ['c']]);
  });

  test('an edit as a node stops at a breakpoint that the node leads to', () => {
    const run = startRun({ ...definition, interruptBefore: ['c'] });
    run.signal('edit', { asNode: 'ask' });
    expect([run.run.status, run.steps]).toEqual(['paused', [['ask']]]);
  });

  test.each([
    [{ asNode: 'ask2' }, 'malformed'],
    [{ asNode: '__start__' }, 'malformed'],
    [{ values: { nope: 1 } }, 'invalid_values'],
    [{ values: 7 }, 'malformed'],
    [{ checkpoint: 'run-1.c9' }, 'stale'],
    [{ asNode: 'ask', by: { sub: 'eve', roles: [] } }, 'not_an_approver'],
    [{ values: { log: 'y' }, asNode: 'b' }, 'invalid_values'],
  ])('an edit with %j is refused and changes nothing', (...[payload, reason]) => {
    const run = startRun(definition);
    const { root, approvals, timers } = run.run;
    const { length } = run.events;
    run.signal('edit', payload);
    expect(run.events.slice(length)).toMatchObject([{ type: 'signal.ignored', reason }]);
    expect(run.run).toMatchObject({ status: 'waiting', root, approvals, timers });
  });

  test('an edit sent to the execution of an ended run is ignored', () => {
    const run = startRun({ nodes: addsNames('a') });
    run.signal('edit', { values: { log: 'x' } });
    expect(typesOf(run).at(-1)).toBe('run.completed');
  });

  test('an edit of the state keeps the deadline of the run', () => {
    const wait = { type: 'wait', event: 'go' } as const;
    const run = startRun({ nodes: { w: wait, v: wait }, limits: { deadline: '1h' } });
    run.signal('edit', { asNode: 'w' });
    expect(run.steps).toEqual([['w'], ['v']]);
    run.passTime(3_600_000);
    expect(run.run.error?.code).toBe('DEADLINE_EXCEEDED');
  });
});

describe('an edit as a node', () => {
  const stopping: Partial<GraphDefinition> = { nodes: addsNames('a', 'b', 'c'), interruptBefore: ['b'] };
  const afterResuming = (run: MemoryRun) => {
    run.signal('resume', {});
    return [run.run.status, logOf(run)];
  };

  test('after an edit as a node, one resume continues the run', () => {
    const run = startRun(stopping);
    run.signal('edit', { values: { log: 'x' }, asNode: 'a' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    expect(afterResuming(run)).toEqual(['completed', ['a', 'x', 'b', 'c']]);
  });

  test('an edit as a node of an ended run stops at the breakpoint of the next node, too', () => {
    const run = startRun(stopping);
    run.signal('resume', {});
    expect(run.run.status).toBe('completed');
    run.reopen('edit', { values: { log: 'x' }, asNode: 'a' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    expect(afterResuming(run)).toEqual(['completed', ['a', 'b', 'c', 'x', 'b', 'c']]);
  });

  test('an edit as a node that leads to another breakpoint stops at that one', () => {
    const run = startRun({ ...stopping, interruptBefore: ['b', 'c'] });
    run.signal('edit', { values: { log: 'x' }, asNode: 'b' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['c'] });
    expect(afterResuming(run)).toEqual(['completed', ['a', 'x', 'c']]);
  });

  test('an edit as a node of a waiting run lets the run stop at the breakpoint', () => {
    const wait = { type: 'wait', event: 'go' } as const;
    const run = startRun({ nodes: { a: wait, ...addsNames('b') }, interruptBefore: ['b'] });
    run.signal('edit', { asNode: 'a' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    expect(afterResuming(run)).toEqual(['completed', ['b']]);
  });
});

describe('a replan to the node before which a run is stopped', () => {
  const stopping: Partial<GraphDefinition> = { nodes: addsNames('a', 'b'), interruptBefore: ['b', 'a'] };

  test('a replan to the node before which a run is stopped continues the run at that node', () => {
    const run = startRun(stopping);
    run.signal('resume', {});
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    run.signal('replan', { node: 'b' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'b']]);
  });

  test('a replan of a stopped run to another node stops at the breakpoint of that node', () => {
    const run = startRun(stopping);
    run.signal('replan', { node: 'b' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
  });
});
