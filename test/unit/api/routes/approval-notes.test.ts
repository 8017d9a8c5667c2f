import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Approval } from '../../../../src/graph/run/approval.ts';
import { aBatch, aNewRun, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { addWebhook } from '../../../support/servers/webhooks.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await addWebhook(api.store, { id: 'w', tenantId: 'demo', url: 'https://a.example', events: ['approval.reminder'] });
});
afterAll(async () => {
  await api.stop();
});

const run = (id: string) => ({ id, tenantId: 'demo' });

async function ask(id: string): Promise<void> {
  await api.store.runs.create(aNewRun(run(id)));
  await writeTo(api.store, run(id), aBatch([1], { approvals: [anApproval(id, 'pending')] }));
}

async function close(id: string, status: Approval['status']): Promise<void> {
  await writeTo(api.store, run(id), aBatch([2], { approvals: [anApproval(id, status)] }));
}

const remind = async (id: string, key: string) =>
  await api.as('user').post(`/api/approvals/${id}.a1/remind`, {}, { 'idempotency-key': key });

const remindersOf = async (runId: string): Promise<number> => {
  const { items } = await api.store.webhookDeliveries.list('w', undefined, { limit: 100 });
  return items.filter((delivery) => delivery.runId === runId).length;
};

describe('a reminder of an approval', () => {
  test('a reminder of an approval whose response was lost is recorded once, and the repetition is answered', async () => {
    await ask('lost');
    vi.spyOn(api.store.approvalNotes, 'of').mockRejectedValueOnce(new Error('lost'));
    expect(await remind('lost', 'k1')).toMatchObject({ status: 500 });
    expect(await remind('lost', 'k1')).toMatchObject({ status: 200, body: { remindedAt: expect.any(String) } });
    expect(await remind('lost', 'k2')).toMatchObject({ status: 429, body: { code: 'TOO_SOON' } });
    expect(await remindersOf('lost')).toBe(1);
  });

  test('the repetition of a recorded approval reminder is answered although the approval was decided meanwhile', async () => {
    await ask('decided');
    vi.spyOn(api.store.approvalNotes, 'of').mockRejectedValueOnce(new Error('lost'));
    expect(await remind('decided', 'k3')).toMatchObject({ status: 500 });
    await close('decided', 'approved');
    expect(await remind('decided', 'k3')).toMatchObject({ status: 200 });
    expect(await remind('decided', 'k4')).toMatchObject({ status: 409, body: { code: 'NOT_ALLOWED_NOW' } });
  });

  test('a reminder of an approval that is decided at the same time notifies nobody', async () => {
    await ask('closing');
    const found = await api.store.approvals.find('closing.a1');
    await close('closing', 'rejected');
    vi.spyOn(api.store.approvals, 'find').mockResolvedValueOnce(found);
    expect(await remind('closing', 'k5')).toMatchObject({ status: 409, body: { code: 'NOT_ALLOWED_NOW' } });
    expect(await remindersOf('closing')).toBe(0);
  });
});
