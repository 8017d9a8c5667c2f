import { expect, test } from 'vitest';
import { aSchedule } from '../../support/builders/schedules.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

/*
 * Counting before writing is a race. The embedded database executes one transaction at a time, which has the same
 * effect as the lock elsewhere.
 */

const store = await useMemoryStore();
const MOST = 3;
const five = Array.from({ length: 5 }, (_, index) => `x${index}`);

test('concurrent requests create no more schedules than a tenant may have, and a repeated request counts once', async () => {
  const create = async (id: string) => await store.schedules.create(aSchedule(id, { tenantId: 'acme' }), MOST);
  const made = await Promise.all(five.map(create));
  expect(made.filter((one) => one === 'added').length).toBe(MOST);
  expect(made.filter((one) => one === 'too-many').length).toBe(five.length - MOST);
  expect(await create(five[made.indexOf('added')] ?? '')).toBe('known');
  expect((await store.schedules.list('acme', { limit: 10 })).items.length).toBe(MOST);
});

test('concurrent requests set no more aliases than a graph may have, and existing aliases can be changed', async () => {
  const set = async (alias: string) =>
    await store.graphAliases.put(
      'acme',
      { name: 'g', alias, version: 1, canary: null, updatedAt: '2026-01-02T03:04:05.678Z', by: 'uma' },
      MOST,
    );
  const made = await Promise.all(five.map(set));
  expect(made.filter((one) => one?.isNew === true).length).toBe(MOST);
  expect(made.filter((one) => one === null).length).toBe(five.length - MOST);
  expect(await set(five[made.findIndex((one) => one !== null)] ?? '')).toEqual({ isNew: false });
});

test('concurrent requests set no more kill switches than allowed', async () => {
  const changed = { changedAt: '2026-01-02T03:04:05.678Z', changedBy: 'root' };
  const made = await Promise.all(
    five.map(
      async (name) =>
        await store.switches.put({ kind: 'graph', name, state: 'off', reason: 'r', tenants: null, ...changed }, MOST),
    ),
  );
  expect(made.filter(Boolean).length).toBe(MOST);
});
