import { describe, expect, test } from 'vitest';
import { unitsSpent, withAllowance } from '../../../../src/graph/values/meter.ts';
import { estimatePattern, compilePattern, matchesPattern } from '../../../../src/graph/values/regular-expression.ts';

describe('a regular expression with a large program', () => {
  test.each([
    ['for its length', 'a{1000}'.repeat(1_000), /at most 1000 characters/],
    ['for its repeats', 'a{1000}'.repeat(140), /at most 5000 instructions/],
    ['for repeats inside repeats', '((((a{9}){9}){9}){9})', /at most 5000 instructions/],
    ['for repeats of named groups', '(?P<n>x{100}){100}', /at most 5000 instructions/],
    ['for large classes that ignore case', `(?i)${'[Ā-￿]'.repeat(180)}`, /too many classes/],
    ['for large ranges of one class that ignores case', `(?i)[${'Ā-𞤀'.repeat(190)}]`, /too many classes/],
    ['for such ranges as character codes', `(?i)[${'\\x{100}-\\x{1E900}'.repeat(50)}]`, /too many classes/],
  ])('a regular expression with a large program is refused before it is compiled, %s', (_why, pattern, message) => {
    const before = unitsSpent();
    expect(() => compilePattern(pattern)).toThrow(message);
    expect(() => matchesPattern('', pattern)).toThrow(message);
    expect(unitsSpent() - before).toBe(0);
  });
});

test.each([
  'a',
  '^[a-z]+-[0-9]+$',
  '(a{30}){30}',
  'x{0,500}',
  '[]a]{900}',
  '[[:alpha:]]{500}',
  'a|b{100}|c',
  '\\Qa{9}\\E{3}',
  '(?i)(?P<n>\\pL{10}){20}',
])('the estimated program size of the regular expression %s is not too low', (pattern) => {
  const { size } = estimatePattern(pattern);
  const before = unitsSpent();
  compilePattern(pattern).matches('y');
  const { price } = estimatePattern(pattern);
  expect(unitsSpent() - before - price).toBeLessThanOrEqual(1 + size + 4);
});

test.each([
  ['a range', '[', 'Ā-𞤀'],
  ['a range that ignores case', '(?i)[', 'Ā-￿'],
  ['a property', '[', '\\pL'],
  ['a property that ignores case', '(?i)[', '\\PL'],
  ['a named class that ignores case', '(?i)[', '\\W'],
])('compiling a regular expression charges for each %s in a class', (_what, start, part) => {
  const price = (times: number): number => estimatePattern(`${start}${part.repeat(times)}]`).price;
  const [none, once, tenTimes] = [price(0), price(1), price(10)];
  expect((tenTimes - none) / (once - none)).toBeGreaterThanOrEqual(9);
});

test('a case-insensitive regular expression of letters of several languages costs little', () => {
  expect(estimatePattern('(?i)^[a-zà-ÿĀ-ſ]+( [a-zà-ÿĀ-ſ]+)*$').price).toBeLessThan(5_000);
});

test('each use of a regular expression from data is charged', () => {
  const units = (): number => {
    const before = unitsSpent();
    matchesPattern('', 'b{900}');
    return unitsSpent() - before;
  };
  expect([units(), units()]).toEqual([45_151, 45_151]);
});

test('a regular expression match is charged by the lengths of its text and its program', () => {
  expect(() =>
    withAllowance('The match', 1_000_000, () => matchesPattern('k'.repeat(50_000), '(?i)k[^z]{200}q')),
  ).toThrow(/too expensive/);
});
