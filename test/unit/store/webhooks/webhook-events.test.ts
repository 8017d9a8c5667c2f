import { expect, test, vi } from 'vitest';
import type { WebhookEventType } from '../../../../src/graph/journal/webhook-events.ts';
import { AT, aNewRun } from '../../../support/builders/store-builders.ts';
import { aFailure, addWebhook, failRun } from '../../../support/servers/webhooks.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const URL = 'https://a.example';

const typesSent = async (webhook: string): Promise<readonly string[]> =>
  (await store.webhookDeliveries.list(webhook, undefined, { limit: 100 })).items.map(({ type }) => type).toSorted();
const countOf = async (table: string): Promise<number> =>
  (await store.database.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows[0]?.count ?? -1;

test('a webhook receives the events that it subscribes to, of its own tenant', async () => {
  const both: readonly WebhookEventType[] = ['run.started', 'run.failed'];
  await addWebhook(store, { id: 'both', tenantId: 'a', url: URL, events: both });
  await addWebhook(store, { id: 'one', tenantId: 'a', url: URL, events: ['run.failed', 'run.paused'] });
  await addWebhook(store, { id: 'none', tenantId: 'a', url: URL, events: ['run.completed'] });
  await addWebhook(store, { id: 'other', tenantId: 'b', url: URL, events: both });
  await failRun(store, { id: 'R', tenantId: 'a' });
  expect(await Promise.all(['both', 'one', 'none', 'other'].map(typesSent))).toEqual([
    ['run.failed', 'run.started'],
    ['run.failed'],
    [],
    [],
  ]);
});

test('a tenant without webhooks gets no delivery rows', async () => {
  const before = await countOf('webhook_events');
  await failRun(store, { id: 'quiet', tenantId: 'quiet' });
  expect(await countOf('webhook_events')).toBe(before);
});

test('a replay sends no webhook events', async () => {
  await addWebhook(store, { id: 'replays', tenantId: 'r', url: URL });
  const replay = { of: 'R', divergence: null };
  await store.runs.createEnded(aNewRun({ id: 'played', tenantId: 'r', replay }), [aFailure()]);
  expect(await typesSent('replays')).toEqual([]);
});

test('webhook events are deleted with their run, and by age', async () => {
  await addWebhook(store, { id: 'kept', tenantId: 'k', url: URL });
  for (const id of ['old', 'pruned']) await failRun(store, { id, tenantId: 'k' });
  await store.webhookDeliveries.ping({ id: 'P', tenantId: 'k', webhookId: 'kept', body: '{}' });
  await store.database.query(`update webhook_events set at = now() where run_id = 'pruned'`);
  expect(await typesSent('kept')).toHaveLength(3);
  await store.dueDeliveries.forgetOld();
  expect(await typesSent('kept')).toEqual(['run.failed', 'webhook.ping']);
  const terms = { runsBefore: new Date().toISOString(), checkpointsBefore: null };
  await store.database.query(`update runs set dispatched_at = $1`, [AT]);
  const names = { toWorkflowId: ({ id }: { id: string }) => id, fromWorkflowId: () => null };
  for await (const _batch of store.retention.prune({ ...terms, ...names }, 100));
  expect(await typesSent('kept')).toEqual(['webhook.ping']);
});

test('due webhook deliveries are found efficiently among many webhooks without any', async () => {
  await store.database.exec(`
    insert into webhooks (id, tenant_id, url, events, format, earlier_secrets, created_at, created_by)
      select 'idle' || n, 'idle' || n / 100, 'https://a.example', '{run.failed}', 'standard', '[]', now(), 'ann'
      from generate_series(1, 20000) as n;
    insert into webhook_deliveries (id, webhook_id, event_id, type, status, failures, attempts, created_at)
      select 'sent' || n, 'idle' || n, 'none', 'run.failed', 'delivered', 0, '[]', now() from generate_series(1, 20000) as n;
    analyze webhooks; analyze webhook_deliveries;
  `);
  await store.webhookDeliveries.ping({ id: 'due', tenantId: 'idle1', webhookId: 'idle150', body: '{}' });
  const terms = {
    claim: 'c',
    after: 'idle',
    webhooks: 64,
    webhooksOfTenant: 8,
    deliveriesOfWebhook: 20,
    leaseMs: 1_000,
  };
  const query = vi.spyOn(store.database, 'query');
  const claimed = await store.dueDeliveries.claim({ ...terms, busy: { webhooks: [], ofTenants: new Map() } });
  expect(claimed.map(({ webhook }) => webhook.id)).toContain('idle150');
  const [text = '', values] = query.mock.lastCall ?? [];
  const { rows } = await store.database.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Only Scan using webhook_deliveries_due');
  expect(plan).not.toMatch(/Seq Scan on webhook/);
  query.mockRestore();
});

test("deliveries to the dead receivers of one tenant are claimed partly, and other tenants' webhooks after them", async () => {
  await store.database.exec(`
    truncate webhook_deliveries;
    insert into webhook_deliveries (id, webhook_id, event_id, type, status, due_at, failures, attempts, created_at)
      select 'due' || n, 'idle' || n, 'none', 'run.failed', 'pending', now(), 0, '[]', now() from generate_series(100, 205) as n;
  `);
  const terms = { claim: 'c', after: '', webhooks: 64, webhooksOfTenant: 8, deliveriesOfWebhook: 20, leaseMs: 1_000 };
  const claimed = await store.dueDeliveries.claim({ ...terms, busy: { webhooks: ['idle200'], ofTenants: new Map() } });
  const tenants = claimed.map(({ webhook }) => webhook.tenantId).toSorted();
  expect(tenants).toEqual([...Array.from({ length: 8 }, () => 'idle1'), ...Array.from({ length: 5 }, () => 'idle2')]);
  const next = await store.dueDeliveries.claim({
    ...terms,
    busy: { webhooks: [], ofTenants: new Map([['idle1', 9]]) },
  });
  expect(next.map(({ webhook }) => webhook.id)).toEqual(['idle200']);
});

test("busy webhooks count against their tenant's limit, and a failing webhook is sent one message at a time", async () => {
  await store.database.exec(`
    truncate webhook_deliveries;
    update webhooks set failing_since = now() where id = 'idle301';
    insert into webhook_deliveries (id, webhook_id, event_id, type, status, due_at, failures, attempts, created_at)
      select 'due' || n, 'idle' || 300 + n % 2, 'none', 'run.failed', 'pending', now(), 0, '[]', now() from generate_series(0, 9) as n;
  `);
  const terms = { claim: 'c', after: '', webhooks: 64, webhooksOfTenant: 8, deliveriesOfWebhook: 20, leaseMs: 1_000 };
  const claimed = async (busyOfTenant: number) =>
    await store.dueDeliveries.claim({
      ...terms,
      busy: { webhooks: [], ofTenants: new Map([['idle3', busyOfTenant]]) },
    });
  expect(await claimed(8)).toEqual([]);
  const first = await claimed(7);
  await store.dueDeliveries.release(first);
  expect(new Set(first.map(({ webhook }) => webhook.id)).size).toBe(1);
  const ids = (await claimed(6)).map(({ webhook }) => webhook.id);
  expect(ids).toEqual([...Array.from({ length: 5 }, () => 'idle300'), 'idle301']);
});
