import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCursorSecret } from '../../../src/dev/stack.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

test('the secret of pagination cursors in development is random, persistent, and readable by its owner only', async () => {
  const file = join(folder, 'one');
  const secret = await openCursorSecret(file);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(await openCursorSecret(file)).toBe(secret);
  expect(await openCursorSecret(join(folder, 'other'))).not.toBe(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
