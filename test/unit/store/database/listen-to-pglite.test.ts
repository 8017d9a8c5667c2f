import { expect, test } from 'vitest';
import { listenToPglite } from '../../../../src/store/database/pglite-dialect.ts';
import { openMemoryDatabase } from '../../../support/servers/memory-database.ts';

test('subscribing to a closed database throws no error and opens nothing', async () => {
  const database = await openMemoryDatabase();
  await database.close();
  let isOpen = false;
  const listening = listenToPglite(database)('runs', { received: () => undefined, opened: () => void (isOpen = true) });
  await listening.close();
  expect(isOpen).toBe(false);
});
