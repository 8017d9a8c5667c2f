import { describe, expect, test } from 'vitest';
import { createPace } from '../../../../../src/activities/tools/mcp/http-transport.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

describe('a pace', () => {
  test('reconnection to an MCP stream slows down while streams deliver nothing', () => {
    const pace = createPace();
    let now = NOW;
    const waits = Array.from({ length: 8 }, () => {
      const waitMs = pace.next(now);
      now += waitMs;
      return Math.round(waitMs);
    });
    expect(waits).toEqual([0, 1_500, 2_250, 3_375, 5_063, 7_594, 10_000, 10_000]);
  });

  test('reconnection to an MCP stream keeps the shortest delay while streams deliver messages', () => {
    const pace = createPace();
    expect(pace.next(NOW)).toBe(0);
    for (const now of [NOW, NOW + 1_000, NOW + 2_000]) {
      pace.restart();
      expect(pace.next(now)).toBe(1_000);
    }
  });

  test('the reconnection delay of an MCP stream counts from the beginning of the stream', () => {
    const pace = createPace();
    pace.next(NOW);
    expect(pace.next(NOW + 1_400)).toBe(100);
    expect(pace.next(NOW + 60_000)).toBe(0);
  });
});
