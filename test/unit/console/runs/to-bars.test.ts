import { describe, expect, test } from 'vitest';
import { spanOf, toBars } from '../../../../console/src/pages/runs/run/to-bars.ts';
import {
  FAILURE,
  asked,
  atMs,
  called,
  callFailed,
  completed,
  decided,
  failed,
  history,
  requested,
  started,
} from './sample-events.ts';

describe('a bar of the timeline', () => {
  test('a bar of the console’s timeline spans a node task with its calls', () => {
    const [bar] = toBars(history(started('pay'), requested('pay', 'k1'), called('pay', 'k1'), completed('pay')));
    expect(bar).toMatchObject({ name: 'pay', status: 'completed', fromMs: atMs(1), toMs: atMs(4), isWait: false });
    expect(bar?.parts).toEqual([
      { kind: 'call', label: 'pay', fromMs: atMs(2), toMs: atMs(3), hasFailed: false, attempts: 1, key: 'k1' },
    ]);
  });

  test('a bar of the console’s timeline contains the call of a model from its start', () => {
    const call = { type: 'model.called', node: 'a', visit: 1, model: 'm', attempts: 2, durationMs: 700 } as const;
    const [bar] = toBars(history(started('a'), { ...call, idempotencyKey: 'k' }));
    expect(bar?.parts).toMatchObject([{ label: 'm', fromMs: atMs(2) - 700, toMs: atMs(2), attempts: 2 }]);
  });

  test('a bar of the console’s timeline has a waiting part during an approval', () => {
    const events = history(started('ask'), asked('ask'), decided('ask', 'approved'));
    expect(toBars(events.slice(0, 2))[0]).toMatchObject({ status: 'waiting', parts: [{ kind: 'wait', toMs: null }] });
    expect(toBars(events)[0]).toMatchObject({ status: 'running', parts: [{ toMs: atMs(3), hasFailed: false }] });
  });

  test('a bar of the console’s timeline is one wait for a node that only waits', () => {
    expect(toBars(history(started('nap')), new Set(['nap']))[0]).toMatchObject({ isWait: true, status: 'waiting' });
  });

  test('a bar of the console’s timeline continues on a retry of its task, with the failed call', () => {
    const events = history(
      started('pay'),
      requested('pay', 'k1'),
      callFailed('pay', 'k1'),
      failed('pay'),
      requested('pay', 'k2'),
    );
    expect(toBars(events.slice(0, 4))[0]).toMatchObject({ status: 'failed', toMs: atMs(4) });
    const [bar] = toBars(events);
    expect(bar).toMatchObject({ status: 'running', toMs: null });
    expect(bar?.parts.map(({ hasFailed, toMs }) => [hasFailed, toMs])).toEqual([
      [true, atMs(3)],
      [false, null],
    ]);
  });

  test('a bar of the console’s timeline ends with its run, and its waits do, too', () => {
    const [bar] = toBars(history(started('ask'), asked('ask'), { type: 'run.canceled', by: 'uma', reason: null }));
    expect(bar).toMatchObject({ status: 'canceled', toMs: atMs(3), parts: [{ toMs: atMs(3) }] });
  });

  test('the console’s timeline has a bar for a compensating call', () => {
    const undo = { node: 'pay', visit: 1, tool: 'take_back' } as const;
    const bars = toBars(
      history(
        started('pay'),
        completed('pay'),
        { type: 'compensation.requested', ...undo, args: {}, idempotencyKey: 'k:undo' },
        { type: 'compensation.failed', ...undo, error: FAILURE },
      ),
    );
    expect(bars.map(({ name, status }) => [name, status])).toEqual([
      ['pay', 'completed'],
      ['undo pay', 'failed'],
    ]);
  });
});

test('the span of the console’s timeline reaches from the first start to now while something is unfinished', () => {
  const bars = toBars(history(started('a'), completed('a'), started('b')));
  expect(spanOf(bars, atMs(10))).toEqual({ fromMs: atMs(1), toMs: atMs(10) });
  expect(spanOf(bars.slice(0, 1), atMs(10))).toEqual({ fromMs: atMs(1), toMs: atMs(2) });
});
