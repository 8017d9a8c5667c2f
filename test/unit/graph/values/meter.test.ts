import { describe, expect, test } from 'vitest';
import {
  TooExpensiveError,
  spendUnits,
  tryWithAllowance,
  unitsLeft,
  withoutCharge,
  unitsSpent,
  withAllowance,
} from '../../../../src/graph/values/meter.ts';

describe('an allowance', () => {
  test('that is used up ends the work with an error that names it', () => {
    expect(() => withAllowance('The field', 10, () => spendUnits(11))).toThrow(
      'The field is too expensive: it takes more than 10 units',
    );
    expect(() => withAllowance('The field', 10, () => spendUnits(10))).not.toThrow();
  });

  test('also charges the outer ones, and the first that is used up stops the work', () => {
    const work = (): void => withAllowance('inner', 10, () => spendUnits(5));
    expect(() => withAllowance('outer', 8, () => (work(), work()))).toThrow(/^outer/);
  });

  test('that is used up leaves the outer ones their rest', () => {
    const before = unitsSpent();
    withAllowance('outer', 100, () => {
      expect(tryWithAllowance('inner', 10, () => (spendUnits(1_000), []))).toBeNull();
      expect(unitsLeft()).toBe(89);
      spendUnits(89);
    });
    expect(unitsSpent() - before).toBe(100);
  });

  test('keeps failing even if the work catches the error', () => {
    const work = (): void => {
      try {
        spendUnits(11);
      } catch {
        spendUnits(0);
      }
    };
    expect(() => withAllowance('stubborn', 10, work)).toThrow(TooExpensiveError);
  });

  test('is separate for each piece of work', () => {
    const inner = (): unknown => tryWithAllowance('inner', 1_000, () => (spendUnits(50), []));
    expect(() => withAllowance('outer', 10, inner)).toThrow(/^outer/);
  });

  test('is exact for any charge', () => {
    const before = unitsSpent();
    expect(() => withAllowance('work', 10, () => spendUnits(Number.POSITIVE_INFINITY))).toThrow(TooExpensiveError);
    expect(unitsSpent() - before).toBe(11);
    spendUnits(1);
    expect(unitsLeft()).toBe(Number.POSITIVE_INFINITY);
  });
});

test('work without charge costs nothing, whatever it spends and however it ends', () => {
  const before = unitsSpent();
  withAllowance('outer', 10, () => {
    expect(withoutCharge(() => withAllowance('inner', 100, () => (spendUnits(50), 'done')))).toBe('done');
    expect(() => withoutCharge(() => withAllowance('inner', 100, () => spendUnits(101)))).toThrow(/^inner/);
    expect(unitsLeft()).toBe(10);
  });
  expect(unitsSpent()).toBe(before);
});
