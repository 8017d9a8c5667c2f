import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import { createLatestEvents } from '../../../src/workflows/latest-events.ts';

const event = (seq: number, size = 0): RunEvent => ({
  seq,
  at: '2026-01-02T03:04:05.678Z',
  step: 0,
  type: 'run.completed',
  output: 'x'.repeat(size),
});
const from = (first: number, count: number, size = 0): RunEvent[] =>
  Array.from({ length: count }, (_, at) => event(first + at, size));
const numbers = (events: readonly RunEvent[]): number[] => events.map(({ seq }) => seq);

describe('the latest events', () => {
  test.each([1, 7, 1_000])('are 200 at most, added in groups of %d', (width) => {
    const latest = createLatestEvents([]);
    for (let seq = 1; seq <= 1_000; seq += width) latest.add(from(seq, Math.min(width, 1_001 - seq)));
    expect(numbers(latest.all())).toEqual(from(801, 200).map(({ seq }) => seq));
  });

  test('take no more bytes than an answer may have', () => {
    const latest = createLatestEvents(from(1, 5, 100_000));
    latest.add(from(6, 20, 100_000));
    expect(numbers(latest.all())).toEqual([17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(JSON.stringify(latest.all()).length).toBeLessThan(1_000_000);
    latest.add([event(26)]);
    expect(numbers(latest.all())).toHaveLength(10);
  });

  test('always have the last one, at any size', () => {
    const latest = createLatestEvents(from(1, 3));
    latest.add([event(4, 5_000_000)]);
    expect(numbers(latest.all())).toEqual([4]);
    latest.add([event(5)]);
    expect(numbers(latest.all())).toEqual([5]);
  });
});
