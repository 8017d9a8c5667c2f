import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { addsNames, logOf, startRun } from '../../support/builders/runs.ts';
import type { MemoryRun } from '../../support/doubles/memory-shell.ts';

type Wait = Omit<NodeDefinition & { type: 'wait' }, 'type'>;

const wait = (over: Wait) => ({ type: 'wait', write: { log: ['{{ result }}'] }, ...over }) as const;

function start(over: Wait, rest: Partial<GraphDefinition> = {}): MemoryRun {
  return startRun({ nodes: { w: wait(over), z: { type: 'set' } }, ...rest });
}

describe('a wait for time', () => {
  test.each([
    [{ for: '1h' }, 3_600_000],
    [{ for: '{{ "1" + "h" }}' }, 3_600_000],
    [{ until: '2026-01-02T04:04:05Z' }, 3_600_000],
    [{ until: '2026-01-02 05:04:05.000+01:00' }, 3_600_000],
  ])('a wait node with %j continues at that time, and not before', (...[over, ms]) => {
    const run = start(over);
    const { waitingFor } = toRunView(run.run);
    expect(waitingFor).toEqual([
      { kind: 'timer', node: 'w', since: '2026-01-02T03:04:05.000Z', deadline: '2026-01-02T04:04:05.000Z' },
    ]);
    run.passTime(ms - 1_000);
    expect(run.run.status).toBe('waiting');
    run.passTime(1_000);
    expect([run.run.status, logOf(run)]).toEqual(['completed', [null]]);
  });

  test.each([{ until: '2026-01-02T03:04:05Z' }, { until: '2000-01-01T00:00:00Z' }, { for: '0s' }])(
    'a wait node with the past time %j continues at once',
    (over) => {
      expect(start(over).run.status).toBe('completed');
    },
  );

  test.each([
    { until: 'tomorrow' },
    { until: '2026-13-02T03:04:05Z' },
    { until: '{{ 7 }}' },
    { for: '{{ 7 }}' },
    { for: '{{ "x" }}' },
  ])('a wait node with the invalid time %j fails', (over) => {
    expect(start(over).run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'w' });
  });

  test('a wait node for a time ignores events', () => {
    const run = start({ for: '1h' });
    run.signal('event', { event: 'go' });
    expect(run.run).toMatchObject({ status: 'waiting', bufferedEvents: [{ name: 'go', payload: null }] });
  });
});

describe('a wait for an event', () => {
  test.each<[Json]>([[0], [false], [''], [null], [[]], [{ a: 1 }]])(
    'a wait for an event accepts the payload %j, both immediate and buffered',
    (payload) => {
      const now = start({ event: 'go' });
      expect(toRunView(now.run).waitingFor).toMatchObject([{ kind: 'event', id: 'go' }]);
      now.signal('event', { event: 'other', payload });
      expect(now.run.status).toBe('waiting');
      now.signal('event', { event: 'go', payload });
      expect([now.run.status, logOf(now)]).toEqual(['completed', [payload]]);
      const later = startRun({ nodes: { ask: { type: 'approval', title: 'May I?' }, w: wait({ event: 'go' }) } });
      later.signal('event', { event: 'go', payload });
      expect(later.run.bufferedEvents).toHaveLength(1);
      later.signal('approve', {});
      expect([later.run.status, logOf(later), later.run.bufferedEvents]).toEqual(['completed', [payload], []]);
    },
  );

  test('a wait for an event results in null after its timeout, and a later event is buffered', () => {
    const run = startRun({
      nodes: { w: wait({ event: 'go', timeout: '1h' }), ask: { type: 'approval', title: 'May I?' } },
    });
    run.passTime(3_600_000);
    expect(logOf(run)).toEqual([null]);
    run.signal('event', { event: 'go', payload: 1 });
    expect(run.run.bufferedEvents).toEqual([{ name: 'go', payload: 1 }]);
  });

  test('a wait for an event has its timer canceled when the event arrives', () => {
    const run = start({ event: 'go', timeout: '1h' });
    expect(Object.keys(run.run.timers)).toHaveLength(1);
    run.signal('event', { event: 'go' });
    expect(run.run.timers).toEqual({});
    expect(run.run.status).toBe('completed');
  });

  test('a wait for an event takes the oldest event of the name', () => {
    const nodes = {
      ask: { type: 'approval', title: 'May I?' },
      w: wait({ event: 'go' }),
      x: wait({ event: '{{ "g" + "o" }}' }),
    } as const;
    const run = startRun({ nodes });
    for (const payload of [1, 2, 3]) run.signal('event', { event: 'go', payload });
    run.signal('approve', {});
    expect([logOf(run), run.run.status]).toEqual([[1, 2], 'completed']);
  });

  test('of two wait nodes for one event name, the first takes the event', () => {
    const nodes = { a: wait({ event: 'go' }), b: wait({ event: 'go' }) };
    const run = startRun({ nodes, edges: [{ from: '__start__', to: ['a', 'b'] }] });
    run.signal('event', { event: 'go', payload: 1 });
    expect(run.run.status).toBe('waiting');
    run.signal('event', { event: 'go', payload: 2 });
    expect(logOf(run)).toEqual([1, 2]);
  });

  test('a wait for an event finds at most 100 buffered events', () => {
    const run = startRun({ nodes: { ask: { type: 'approval', title: 'May I?' }, ...addsNames('z') } });
    for (let payload = 0; payload < 101; payload += 1) run.signal('event', { event: 'go', payload });
    expect(run.run.bufferedEvents).toHaveLength(100);
    expect(run.run.bufferedEvents[0]?.payload).toBe(0);
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'buffer_full' });
  });

  test.each([{}, { event: '' }, { event: 7 }, { event: 'go', more: 1 }])(
    'a wait for an event ignores the malformed event %j',
    (payload) => {
      const run = start({ event: 'go' });
      run.signal('event', payload);
      expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'malformed' });
    },
  );
});
