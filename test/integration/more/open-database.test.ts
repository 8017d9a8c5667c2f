import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/dev/stack.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-database-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true });
});

test('the embedded database is used when DATABASE_URL is empty', { timeout: 60_000 }, async () => {
  const teardown = openTeardown();
  try {
    const { store } = await openDatabase({ environment: { DATABASE_URL: '' }, dataDir }, teardown);
    await expect(store.ping()).resolves.toBeUndefined();
  } finally {
    await teardown.run();
  }
});
