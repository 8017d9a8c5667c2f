import { describe, expect, test } from 'vitest';
import { parseDuration, toMs } from '../../../../src/graph/values/time.ts';

describe('a duration', () => {
  test.each([
    ['1.5s', 1_500],
    ['36500d', 3_153_600_000_000],
    ['36501d', null],
    ['5x', null],
    ['', null],
    [7, null],
    [undefined, null],
  ])('the duration %j is parsed as %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test('an invalid duration causes an error where a call needs a valid one', () => {
    expect(() => toMs('soon')).toThrow('"soon" is no duration');
  });
});
