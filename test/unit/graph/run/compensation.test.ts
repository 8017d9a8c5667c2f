import { describe, expect, test } from 'vitest';
import { describeUndone, includesUndoneWork, addUndoneWork } from '../../../../src/graph/run/compensation.ts';
import { undoneWork } from '../../../../src/graph/run/status.ts';
import type { Compensation } from '../../../../src/graph/run/compensation.ts';
import type { RunPhase } from '../../../../src/graph/run/phase.ts';

const error = { code: 'TOOL_FAILED', message: 'broken' } as const;
const compensation = (node: string, step: number, path: readonly string[] = []): Compensation => ({
  key: `r:${node}`,
  task: { node, visit: 1, ...(path.length > 0 && { path }) },
  step,
  problem: error,
});
const pay = compensation('pay', 1);
const seat = compensation('seat', 3, ['trip']);
const by = { by: 'ada', reason: null };

describe('the compensated work of a run', () => {
  const since = (step: number, ...nodes: string[]) => ({ since: step, nodes });

  test.each<[string, RunPhase, readonly Compensation[], readonly Compensation[], ReturnType<typeof since> | null]>([
    ['running, nothing', { kind: 'running', pause: null }, [pay], [], null],
    ['waiting, nothing', { kind: 'waiting' }, [pay], [], null],
    ['paused, nothing', { kind: 'paused', since: 1 }, [pay], [], null],
    ['completed, nothing', { kind: 'completed', endedAt: 1, output: {} }, [pay], [], null],
    [
      'failing, the pending compensations',
      { kind: 'failing', error, awaits: null },
      [pay, seat],
      [],
      since(1, 'pay', 'trip/seat'),
    ],
    ['canceling, the pending compensations', { kind: 'canceling', ...by, awaits: null }, [pay], [], since(1, 'pay')],
    [
      'failing, the begun and the pending compensations',
      { kind: 'failing', error, awaits: null },
      [pay],
      [seat],
      since(1, 'trip/seat', 'pay'),
    ],
    ['closing, what has been', { kind: 'closing', ...by, unknown: [] }, [], [pay], since(1, 'pay')],
    ['failed, what has been', { kind: 'failed', endedAt: 1, error }, [pay], [seat], since(3, 'trip/seat')],
    ['failed, nothing if nothing has begun', { kind: 'failed', endedAt: 1, error }, [pay], [], null],
    [
      'canceled, what has been',
      { kind: 'canceled', endedAt: 1, error: null, ...by },
      [],
      [seat],
      since(3, 'trip/seat'),
    ],
  ])('a run lists its compensated calls according to its phase: %s', (...[, phase, pending, begun, wanted]) => {
    const undone = addUndoneWork(null, begun);
    expect(undoneWork({ phase, compensation: { pending, undone } })).toEqual(wanted);
  });

  test('a checkpoint of a run’s first compensated step, or of a later step, counts as compensated', () => {
    expect([-1, 0, 1, 2, 3].map((step) => includesUndoneWork({ since: 1 }, step))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  test('the compensation of a run is described by the first 10 nodes to compensate, each once', () => {
    const many = Array.from({ length: 50 }, (_, n) => compensation(`n${n}`, n));
    expect(describeUndone(addUndoneWork(null, many) ?? { since: 0, nodes: [] })).toMatch(
      /^n40, .*, n49 and perhaps others$/,
    );
    expect(addUndoneWork(addUndoneWork(null, [pay, pay]), [pay])).toEqual({ since: 1, nodes: ['pay'] });
  });
});
