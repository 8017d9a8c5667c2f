import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { adds, failing, logOf, startRun } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/* A decision or control applies only to what its sender saw, and two simultaneous ones never apply to two subjects. */

const ADA = { sub: 'ada', roles: ['approver'] };
const BOB = { sub: 'bob', roles: ['approver'] };
const asks = (title: string, over: object = {}) =>
  ({ type: 'approval', title, write: { log: `${title}: {{ result.decision }}` }, ...over }) as const;

const ignoredIn = ({ events }: MemoryRun): unknown[] =>
  events.flatMap((event) => (event.type === 'signal.ignored' ? [{ reason: event.reason, detail: event.detail }] : []));
const statusesOf = ({ run }: MemoryRun): unknown[] => Object.values(run.approvals).map(({ status }) => status);

describe('a decision without an approvalId', () => {
  const inTurn = (over: Partial<GraphDefinition> = {}): MemoryRun =>
    startRun({ nodes: { one: asks('One?'), two: asks('Two?') }, ...over });

  test.each([
    ['approve', 'approve'],
    ['reject', 'approve'],
    ['approve', 'reject'],
  ])(
    'of two decisions without an approvalId (%s, then %s) the first decides the first approval, and the second is refused',
    (first, second) => {
      const run = inTurn();
      run.signal(first, { by: ADA });
      run.signal(second, { by: BOB });
      const status = first === 'approve' ? 'approved' : 'rejected';
      expect(statusesOf(run)).toEqual([status, 'pending']);
      expect(ignoredIn(run)).toEqual([
        {
          reason: 'already_decided',
          detail: expect.stringMatching(
            new RegExp(`^Already ${status} by ada at 2026.*pending now: run-1\\.a2 \\(two\\)$`),
          ),
        },
      ]);
    },
  );

  const inside = aDefinition({ name: 'inside', nodes: { in: asks('In?') } });
  const places: readonly [string, Partial<GraphDefinition>, (run: MemoryRun) => void][] = [
    ['in a subgraph', { nodes: { sub: { type: 'subgraph', graph: inside }, two: asks('Two?') } }, approve],
    ['withdrawn by an edit, and renewed', { nodes: { one: asks('One of {{ state.log }}?') } }, edit],
    ['that of the previous visit of the node', loop(), approve],
    ['canceled with its run, which was reopened', reopened(), reopen],
    ['expired', { nodes: { one: asks('One?', { timeout: '1s' }), two: asks('Two?') } }, (run) => run.passTime(1_000)],
  ];

  test.each(places)(
    'a decision without an approvalId does not decide a later approval if the first is %s',
    (_, over, close) => {
      const run = inTurn(over);
      close(run);
      expect(statusesOf(run).slice(1)).toEqual(['pending']);
      run.signal('approve', { by: BOB });
      expect(statusesOf(run).slice(1)).toEqual(['pending']);
      expect(ignoredIn(run)).toEqual([{ reason: expect.any(String), detail: expect.stringContaining('run-1.a2') }]);
      run.signal('approve', { approvalId: 'run-1.a2', by: BOB });
      expect(statusesOf(run)[1]).toBe('approved');
    },
  );

  test('a decision without an approvalId decides the first approval as soon as no other is pending', () => {
    const run = startRun({
      nodes: { one: asks('One?'), two: asks('Two?') },
      edges: [{ from: '__start__', to: ['one', 'two'] }],
    });
    run.signal('approve', { by: ADA });
    expect(ignoredIn(run)).toMatchObject([{ reason: 'approval_id_required' }]);
    run.signal('reject', { approvalId: 'run-1.a2', by: ADA });
    run.signal('approve', { by: ADA });
    expect(statusesOf(run)).toEqual(['approved', 'rejected']);
  });

  test('a decision without an approvalId is refused with the status of the first approval, if several others are pending', () => {
    const edges = [
      { from: '__start__', to: 'one' },
      { from: 'one', to: ['two', 'three'] },
    ];
    const run = startRun({ nodes: { one: asks('One?'), two: asks('Two?'), three: asks('Three?') }, edges });
    run.signal('approve', { by: ADA });
    run.signal('approve', { by: BOB });
    expect(ignoredIn(run)).toEqual([
      { reason: 'already_decided', detail: expect.stringContaining('run-1.a2 (three), run-1.a3 (two)') },
    ]);
  });

  test('a decision without an approvalId is refused if no approval was requested, or the first one was closed long ago', () => {
    const run = startRun({ nodes: { w: { type: 'wait', event: 'go' } } });
    run.signal('approve', { by: ADA });
    expect(ignoredIn(run)).toMatchObject([{ reason: 'unknown_approval' }]);
    const list = Array.from({ length: 110 }, (_, at) => at);
    const edges = [{ from: '__start__', forEach: 'state.list', to: 'each' }];
    const many = startRun({
      channels: { list: { default: list }, log: { reducer: 'append' } },
      nodes: { each: asks('?') },
      edges,
    });
    for (const at of list.slice(0, -1)) many.signal('approve', { approvalId: `run-1.a${at + 1}`, by: ADA });
    many.signal('approve', { by: ADA });
    expect(ignoredIn(many)).toEqual([
      { reason: 'already_decided', detail: expect.stringContaining('pending now: run-1.a110 (each)') },
    ]);
  });

  test('a decision without an approvalId in a fork decides the first approval that the fork itself requested', () => {
    const run = inTurn();
    run.signal('approve', { by: ADA });
    const fork = run.fork(run.checkpoints.at(-1)?.id ?? '', { by: ADA });
    if ('code' in fork) throw new Error(fork.message);
    fork.signal('approve', { by: BOB });
    expect([fork.run.status, logOf(fork)]).toEqual(['completed', ['One?: approved', 'Two?: approved']]);
  });

  function approve(run: MemoryRun): void {
    run.signal('approve', { by: ADA });
  }

  function edit(run: MemoryRun): void {
    run.signal('edit', { values: { log: 'x' }, by: ADA });
  }

  function loop(): Partial<GraphDefinition> {
    const edges = [
      { from: '__start__', to: 'one' },
      { from: 'one', branches: [{ when: 'size(state.log) < 2', to: 'one' }, { to: '__end__' }] },
    ];
    return { nodes: { one: asks('One?') }, edges };
  }

  function reopened(): Partial<GraphDefinition> {
    return {
      nodes: { one: asks('One?'), w: { type: 'wait', for: '9h' } },
      edges: [{ from: '__start__', to: ['one', 'w'] }],
      limits: { deadline: '1h' },
    };
  }

  function reopen(run: MemoryRun): void {
    run.passTime(3_600_000);
    run.reopen('retry', { by: ADA });
  }
});

describe('a control with the time or checkpoint that its sender has read', () => {
  /** Two breakpoints at one checkpoint: one after a node, one before the next. */
  const stopping = (): MemoryRun =>
    startRun({
      nodes: { a: adds('a'), b: adds('b'), c: adds('c') },
      interruptAfter: ['a'],
      interruptBefore: ['b'],
    });
  const pausedAt = ({ run }: MemoryRun): string =>
    run.phase.kind === 'paused' ? new Date(run.phase.since).toISOString() : 'not paused';

  test('a resume with the time or checkpoint that its sender read does not end a pause that began later, even at the same checkpoint', () => {
    const run = stopping();
    const read: JsonObject = { since: pausedAt(run), checkpoint: run.run.checkpointId, by: ADA };
    run.signal('resume', read);
    expect(run.run).toMatchObject({ status: 'paused', checkpointId: read['checkpoint'] });
    run.signal('resume', read);
    expect(ignoredIn(run)).toEqual([
      { reason: 'not_allowed_now', detail: expect.stringContaining('has changed since') },
    ]);
    expect(logOf(run)).toEqual(['a']);
    run.signal('resume', { since: pausedAt(run), by: ADA });
    expect(run.run.status).toBe('completed');
  });

  test.each([
    [{ since: null }, 'paused'],
    [{ checkpoint: 'run-1.c9' }, 'paused'],
    [{}, 'completed'],
  ])('a resume with %j, as its sender read it, leads to a run that is %s', (read, status) => {
    const run = startRun({ nodes: { a: adds('a') }, interruptBefore: ['a'] });
    run.signal('resume', { ...read, by: ADA });
    expect(run.run.status).toBe(status);
  });

  test('a replan with the checkpoint that its sender read does not affect a run that is at another checkpoint now', () => {
    const run = startRun({ nodes: { a: { type: 'wait', event: 'go' }, b: adds('b') } });
    const read = { checkpoint: run.run.checkpointId, by: ADA };
    run.signal('replan', { node: 'a', ...read });
    run.signal('replan', { node: 'b', ...read });
    expect([run.run.status, ignoredIn(run)]).toMatchObject(['waiting', [{ reason: 'not_allowed_now' }]]);
  });

  test.each([
    ['retry', {}],
    ['skip', { output: null }],
    ['fail', {}],
  ])('the control %s with the time of an earlier failure does not settle a failure of a retry', (name, more) => {
    const fails = { type: 'tool', tool: 'lookup', args: { key: 'x' }, onError: 'intervene' } as const;
    const run = startRun({ nodes: { a: fails, b: adds('b') } }, failing);
    const read = { since: sinceOf(run), by: ADA };
    run.signal('retry', read);
    run.signal(name, { ...read, ...more });
    expect([run.run.status, ignoredIn(run)]).toMatchObject(['waiting', [{ reason: 'not_allowed_now' }]]);
    run.signal(name, { since: sinceOf(run), ...more, by: ADA });
    expect(ignoredIn(run).slice(1)).toEqual([]);
  });

  test('a retry with the time that its sender read does not retry a run that has failed again', () => {
    const run = startRun({ nodes: { a: { type: 'set', write: { log: '{{ state.log[9] }}' } } } });
    const read = { since: endOf(run), by: ADA };
    run.reopen('retry', read);
    expect(endOf(run)).not.toBe(read.since);
    run.reopen('retry', read);
    expect(ignoredIn(run)).toMatchObject([{ reason: 'not_allowed_now' }]);
  });

  const sinceOf = ({ run }: MemoryRun): string => {
    const { at } = run.root;
    const state = at.kind === 'running' ? at.tasks[0]?.state : undefined;
    return state?.phase === 'intervention' ? state.since : 'none';
  };
  const endOf = ({ run }: MemoryRun): string =>
    'endedAt' in run.phase ? new Date(run.phase.endedAt).toISOString() : 'none';
});
