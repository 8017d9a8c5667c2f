import { expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/process/logger.ts';
import { DatabaseAwayError } from '../../../src/store/database/database-away.ts';
import { tryEach } from '../../../src/api/bulk/try-each.ts';

const logger = createLogger('silent');
const items = Array.from({ length: 20 }, (_, n) => ({ id: `d${n}`, args: 'SECRET' }));
const idOf = ({ id }: (typeof items)[number]): string => id;

test('once the database is unavailable, a batch begins no more items, and refuses the remaining ones in the same way', async () => {
  let begun = 0;
  const tried = await tryEach({ logger }, items, idOf, async () => {
    begun += 1;
    throw new DatabaseAwayError('gone');
  });
  expect(begun).toBeLessThan(items.length);
  expect(tried.map((one) => 'refused' in one && one.refused.code)).toEqual(items.map(() => 'UNAVAILABLE'));
  expect(tried.some((one) => 'refused' in one && one.refused.mayTakeEffect)).toBe(false);
});

test('the log contains only the id of a failed item of a batch', async () => {
  const warn = vi.spyOn(logger, 'warn');
  const error = new TypeError('A bug');
  await tryEach({ logger }, items, idOf, async ({ id }) => {
    if (id === 'd3') throw error;
    return id;
  });
  expect(warn.mock.calls).toEqual([[{ error, subject: 'd3' }, expect.any(String)]]);
});
