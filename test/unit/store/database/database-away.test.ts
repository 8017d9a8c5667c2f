import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { toDatabaseError } from '../../../../src/store/database/connection-error.ts';
import { isDatabaseAway } from '../../../../src/store/database/database-away.ts';

const withCode = (code: string): Error => Object.assign(new DatabaseError('no', 2, 'error'), { code });

test.each([
  ['a connection that broke', withCode('08006'), true],
  ['a server that stops', withCode('57P01'), true],
  ['a full disk', withCode('53100'), true],
  ['too many connections', withCode('53300'), true],
  ['a socket that broke', new Error('read ECONNRESET'), true],
  ['a value that is too long', withCode('54000'), false],
  ['a broken constraint', withCode('23505'), false],
  ['a bug of the engine', new TypeError('no'), false],
])('database errors are classified as an unavailable database or not: %s', (_, error, isAway) => {
  expect(isDatabaseAway(toDatabaseError(error))).toBe(isAway);
});
