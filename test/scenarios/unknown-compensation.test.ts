import { describe, expect, test } from 'vitest';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import type { ToolCallRequest } from '../../src/graph/run/effect.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { asks, breaks, pays, undoEventsOf } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

describe('a compensation of unknown outcome', () => {
  const by = { sub: 'ada', roles: ['approver'] };

  /** The first compensation is that of `b`. It is lost `lost` times. */
  function playLost({ lost = 1 } = {}) {
    const calls: string[] = [];
    const tool = ({ tool: name, args }: ToolCallRequest): Json => {
      const text = JSON.stringify(args);
      calls.push(`${name} ${text}`);
      const tries = calls.filter((call) => call.includes('back two')).length;
      if (text.includes('back two') && tries <= lost) throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
      if (text.includes('break')) throw new CallFailure('TOOL_FAILED', 'broken');
      return { receipt: JSON.parse(text).key };
    };
    const definition = aDefinition({ nodes: { a: pays('one'), b: pays('two'), c: breaks } });
    const run = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool });
    return { run, undone: () => calls.filter((call) => call.startsWith('notify')) };
  }
  const waitingOf = ({ run }: MemoryRun) => toRunView(run).waitingFor;

  test('a compensation of unknown outcome waits for a person, and nothing else is compensated meanwhile', () => {
    const { run, undone } = playLost();
    expect(run.run).toMatchObject({ status: 'waiting', error: null });
    expect(waitingOf(run)).toMatchObject([{ kind: 'intervention', node: 'b', id: 'b:1:undo' }]);
    expect([undone().length, undoEventsOf(run)]).toEqual([1, ['compensation.requested b', 'compensation.failed b']]);
    run.signal('pause', { by });
    run.signal('skip', { node: 'a', output: 1, by });
    expect(run.events.filter(({ type }) => type === 'signal.ignored')).toMatchObject([
      { reason: 'not_allowed_now' },
      { reason: 'unknown_intervention' },
    ]);
    expect(waitingOf(run)).toHaveLength(1);
  });

  test.each([1, 2])('a compensation of unknown outcome is repeated on order, %i times, under its key', (lost) => {
    const { run, undone } = playLost({ lost });
    for (let n = 0; n < lost; n += 1) run.signal('retry', { id: 'b:1:undo', by });
    expect(undone()).toEqual([
      ...Array.from({ length: lost + 1 }, () => 'notify {"key":"back two"}'),
      'notify {"key":"back one"}',
    ]);
    expect(run.run).toMatchObject({
      status: 'failed',
      compensation: { undone: { since: 0, nodes: ['b', 'a'] }, failures: [] },
      error: { node: 'c' },
    });
    expect(run.events.filter(({ type }) => type === 'run.retried')).toHaveLength(lost);
    const keys = run.events.flatMap((event) =>
      event.type === 'compensation.requested' && event.node === 'b' ? [event.idempotencyKey] : [],
    );
    expect(new Set(keys).size).toBe(1);
  });

  test('a compensation of unknown outcome may be settled as done', () => {
    const { run, undone } = playLost();
    run.signal('skip', { output: { seen: true }, by });
    expect(undone()).toHaveLength(2);
    expect(run.events).toContainEqual(
      expect.objectContaining({ type: 'node.compensated', node: 'b', result: { seen: true }, by: 'ada' }),
    );
    expect(run.run).toMatchObject({ status: 'failed', compensation: { failures: [] } });
  });

  test('a compensation of unknown outcome may be given up; the others are compensated', () => {
    const { run, undone } = playLost();
    run.signal('fail', { reason: 'gone', by });
    expect(undone()).toHaveLength(2);
    expect(run.run.error?.cause?.message).toBe('Not compensated: b: lost (given up by ada: gone)');
    expect(run.events.filter(({ type }) => type === 'compensation.failed')).toMatchObject([{}, { by: 'ada' }]);
  });

  test('a compensation of unknown outcome keeps a canceled run waiting, which then ends as canceled', () => {
    const { run } = playLost();
    run.signal('cancel', { by });
    run.signal('cancel', { by });
    expect([run.run.status, waitingOf(run).length]).toEqual(['waiting', 1]);
    run.signal('retry', { by });
    expect(run.run).toMatchObject({ status: 'canceled', compensation: { undone: { nodes: ['b', 'a'] } } });
    expect(run.events.filter(({ type }) => type === 'signal.ignored')).toEqual([]);
  });

  test("a compensation of unknown outcome is the only item in the run's waitingFor while it waits", () => {
    const definition = aDefinition({
      nodes: { a: pays('two'), ask: asks, nap: { type: 'wait', for: '1h' } },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', to: ['ask', 'nap'] },
      ],
      limits: { deadline: '1s' },
    });
    const tool = ({ tool: name }: ToolCallRequest): Json => {
      if (name === 'notify') throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
      return { receipt: 'two' };
    };
    const run = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool });
    run.passTime(2_000);
    expect(run.run).toMatchObject({
      status: 'waiting',
      timers: {},
      phase: { kind: 'failing', error: { code: 'DEADLINE_EXCEEDED' } },
    });
    expect(Object.values(run.run.approvals)).toMatchObject([{ status: 'canceled' }]);
    expect(waitingOf(run)).toMatchObject([{ id: 'a:1:undo' }]);
  });
});
