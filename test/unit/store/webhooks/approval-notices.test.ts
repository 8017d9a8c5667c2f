import { expect, test } from 'vitest';
import type { Approval } from '../../../../src/graph/run/approval.ts';
import { aBatch, aNewRun, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { addWebhook } from '../../../support/servers/webhooks.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const HOUR = 3_600_000;
const policy = {
  reminders: ['30m', '1h', '30m', '10h', '40h'],
  escalate: [
    { after: '1h', roles: ['boss'] },
    { after: '3h', roles: ['board'] },
  ],
};

/** Requests an approval some hours ago, with a timeout of 20 hours. */
async function ask(id: string, hours: number, status: Approval['status'] = 'pending'): Promise<void> {
  await addWebhook(store, {
    id,
    tenantId: id,
    url: 'https://a.example',
    events: ['approval.reminder', 'approval.escalated'],
  });
  const run = { id: `run-${id}`, tenantId: id };
  await store.runs.create(aNewRun(run));
  const timeIn = (ms: number) => new Date(Date.now() + ms).toISOString();
  const times = { requestedAt: timeIn(-hours * HOUR), expiresAt: timeIn((20 - hours) * HOUR) };
  await writeTo(store, run, aBatch([1], { approvals: [{ ...anApproval(run.id, status), policy, ...times }] }));
}

const typesSent = async (id: string): Promise<readonly string[]> =>
  (await store.webhookDeliveries.list(id, undefined, { limit: 100 })).items.map(({ type }) => type).toSorted();

/** Moves all approvals into the past. */
async function pass(hours: number): Promise<void> {
  await store.database.query(`
    update approvals set notice_at = notice_at - interval '${hours} hours', body = replace(replace(body::text,
      body->>'requestedAt', to_char((body->>'requestedAt')::timestamptz at time zone 'utc' - interval '${hours} hours', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
      body->>'expiresAt', to_char((body->>'expiresAt')::timestamptz at time zone 'utc' - interval '${hours} hours', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::json
  `);
}

test('due approval notices are sent once, and later notices at their time', async () => {
  await ask('slow', 0.6);
  await store.approvalNotices.sendDue();
  await store.approvalNotices.sendDue();
  expect(await typesSent('slow')).toEqual(['approval.reminder']);
  await pass(1);
  await Promise.all([store.approvalNotices.sendDue(), store.approvalNotices.sendDue()]);
  expect(await typesSent('slow')).toEqual(['approval.escalated', 'approval.reminder', 'approval.reminder']);
  await pass(10);
  await store.approvalNotices.sendDue();
  const all = ['approval.escalated', 'approval.escalated', ...Array.from({ length: 3 }, () => 'approval.reminder')];
  expect(await typesSent('slow')).toEqual(all);
  await pass(100);
  await store.approvalNotices.sendDue();
  expect(await typesSent('slow')).toEqual(all);
});

test('no approval notices are sent for approvals that are decided or not due yet', async () => {
  await ask('decided', 15, 'approved');
  await ask('fresh', 0.1);
  await store.approvalNotices.sendDue();
  expect([await typesSent('decided'), await typesSent('fresh')]).toEqual([[], []]);
});

test('a later state of an approval sends no notice to webhooks again', async () => {
  await ask('edited', 2);
  await store.approvalNotices.sendDue();
  const sent = await typesSent('edited');
  const known = await store.approvals.ofRun('run-edited');
  await writeTo(store, { id: 'run-edited', tenantId: 'edited' }, aBatch([2], { approvals: known }));
  await store.approvalNotices.sendDue();
  expect(await typesSent('edited')).toEqual(sent);
  expect(sent).toHaveLength(3);
});
