import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import { createAttempt, failureOf, held, scriptedTool } from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
afterEach(() => void vi.restoreAllMocks());

const attempt = createAttempt(() => store);

test('an unknown outcome of a call stays unknown although an earlier claim renewal reaches the ledger after it', async () => {
  const renew = store.ledger.renew.bind(store.ledger);
  const database = held();
  const late: Promise<void>[] = [];
  const renewed = vi.spyOn(store.ledger, 'renew').mockImplementationOnce(async (key, claim) => {
    late.push(database.step(new AbortController().signal).then(async () => await renew(key, claim)));
    await late[0];
  });
  const tool = scriptedTool(async () => {
    await expect.poll(() => renewed.mock.calls.length).toBeGreaterThan(1);
    throw new Error('The connection broke');
  });
  const request = aToolRequest({ effect: 'unsafe', policy: aPolicy({ heartbeatMs: 30 }) });
  const task = aTask({ key: 'overtaken', request });
  const failure = failureOf(attempt(tool, task));

  await expect.poll(() => renewed.mock.calls.length).toBeGreaterThan(1);
  await sleep(100);
  database.letGo(null);
  expect(await failure).toMatchObject({ type: 'UNKNOWN_OUTCOME' });
  await Promise.all(late);
  const { rows } = await store.database.query('select status from ledger where key = $1', [task.key]);
  expect(rows).toEqual([{ status: 'unknown' }]);
});
