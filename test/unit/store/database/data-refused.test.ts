import { expect, test } from 'vitest';
import { isDataRefused } from '../../../../src/store/database/database-away.ts';

const withCode = (code: string): Error => Object.assign(new Error('no'), { code });

test.each([
  ['NUL in a text', withCode('22021'), true],
  ['a broken reference', withCode('23503'), true],
  ['a row that is too large', withCode('54000'), true],
  ['a text that is too long for JavaScript', new RangeError('Invalid string length'), true],
  ['a deadlock', withCode('40P01'), false],
  ['a lost connection', withCode('08006'), false],
  ['an unavailable database', withCode('DATABASE_AWAY'), false],
  ['an error without a code', new Error('no'), false],
])('database errors are classified as permanent refusals of the data or not: %s', (_what, error, expected) => {
  expect(isDataRefused(error)).toBe(expected);
});
