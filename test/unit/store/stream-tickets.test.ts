import { expect, test } from 'vitest';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const terms = { tenantId: 'acme', runId: 'R', sub: 'u', seesPayloads: true, after: 3, tokenExpiresAtMs: 1_000 };

async function issue(): Promise<string> {
  const issued = await store.streamTickets.issue(terms);
  return issued?.ticket ?? '';
}

test('a stream ticket is used once, by its run, and returns what it was issued for', async () => {
  const ticket = await issue();
  for (const [given, run] of [
    [ticket, 'S'],
    ['x', 'R'],
  ] as const)
    expect([await store.streamTickets.find(given, run), await store.streamTickets.redeem(given, run)]).toEqual([
      null,
      false,
    ]);
  expect(await store.streamTickets.find(ticket, 'R')).toEqual(terms);
  const redeemed = await Promise.all([1, 2, 3].map(() => store.streamTickets.redeem(ticket, 'R')));
  expect(redeemed.filter(Boolean)).toEqual([true]);
  expect(await store.streamTickets.find(ticket, 'R')).toBeNull();
});

test('a stream ticket is invalid after a minute, and is deleted then', async () => {
  const ticket = await issue();
  await store.database.query(`update stream_tickets set expires_at = expires_at - interval '61 seconds'`);
  expect(await store.streamTickets.find(ticket, 'R')).toBeNull();
  expect(await store.streamTickets.redeem(ticket, 'R')).toBe(false);
  const other = await issue();
  await store.streamTickets.forgetExpired();
  expect((await store.database.query('select * from stream_tickets')).rows).toHaveLength(1);
  expect(await store.streamTickets.redeem(other, 'R')).toBe(true);
});

test('the database does not contain a stream ticket itself', async () => {
  const ticket = await issue();
  expect(JSON.stringify((await store.database.query('select * from stream_tickets')).rows)).not.toContain(ticket);
});
