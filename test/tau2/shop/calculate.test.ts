import { expect, test } from 'vitest';
import { calculate } from './calculate.ts';

test.each([
  ['1 + 2 * 3', '7'],
  ['(1 + 2) * 3', '9'],
  ['155.33 - 147.05 + 268.77 - 235.13', '41.92'],
  ['10 / 4 / 5', '0.5'],
  ['-2 * -3', '6'],
])('the calculator tool evaluates %s to %s', (expression, value) => {
  expect(calculate(expression)).toBe(value);
});

test.each(['', '1 +', '2 3', '(1', '1 / 0', 'process.exit()'])('the calculator tool refuses %j', (expression) => {
  expect(() => calculate(expression)).toThrow('Invalid expression');
});
