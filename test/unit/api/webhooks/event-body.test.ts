import { expect, test } from 'vitest';
import { createFingerprints } from '../../../../src/api/http/fingerprints.ts';
import { buildEventBody } from '../../../../src/api/webhooks/event-body.ts';
import type { JournalBatch } from '../../../../src/graph/journal/batch.ts';
import type { Intervention } from '../../../../src/graph/journal/run-view.ts';
import type { Redaction } from '../../../../src/graph/redaction/redaction.ts';
import type { WebhookEventType } from '../../../../src/graph/journal/webhook-events.ts';
import { AT, aBatch, aNewRun, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { addWebhook } from '../../../support/servers/webhooks.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const deps = { store, fingerprints: createFingerprints('secret') };
const CANARY = 'canary-4711';

const redaction: Redaction = {
  channels: ['secret'],
  nodes: {
    ask: { fields: { title: '[redacted]', args: '[redacted]' } },
    pay: { calls: true, error: true, fields: { args: '[redacted]' } },
  },
  graphs: {},
};

let count = 0;
/** The bodies of the events that a batch emits. */
async function bodiesOf(events: readonly WebhookEventType[], batch: JournalBatch) {
  const [id, tenantId] = [`R${count}`, `t${count}`];
  count += 1;
  await addWebhook(store, { id: `w${id}`, tenantId, url: 'https://a.example', events });
  await store.runs.create(aNewRun({ id, tenantId, redaction, input: { secret: CANARY, order: 7 } }));
  await writeTo(store, { id, tenantId }, batch);
  const { rows } = await store.database.query<{ id: string }>('select id from webhook_events where run_id = $1', [id]);
  const made = rows.map(async (row) => {
    const event = await store.dueDeliveries.eventOf(row.id);
    return event && (await buildEventBody(deps, event));
  });
  return await Promise.all(made);
}

const parse = (body: string | null | undefined): unknown => JSON.parse(body ?? '');

test('the body of a run event is the run at that time, redacted', async () => {
  const view = aView({ status: 'completed', output: { secret: CANARY, total: '\0 \ud83d' }, endedAt: AT });
  const events = [{ seq: 1, at: AT, step: 0, type: 'run.completed', output: null } as const];
  const [body] = await bodiesOf(['run.completed'], aBatch([], { events, view }));
  expect(parse(body)).toMatchObject({
    type: 'run.completed',
    timestamp: AT,
    data: { status: 'completed', input: { order: 7 }, output: { total: '\0 \ud83d' } },
  });
  expect(body).not.toContain(CANARY);
});

test('the body of an approval event is redacted', async () => {
  const approval = { ...anApproval(`R${count}`, 'pending'), title: CANARY, args: { to: CANARY } };
  const events = [{ seq: 1, at: AT, step: 0, type: 'approval.requested', node: 'ask', visit: 1, approval } as const];
  const [body] = await bodiesOf(['approval.requested'], aBatch([], { events, approvals: [approval] }));
  expect(parse(body)).toMatchObject({ data: { id: approval.id, status: 'pending', title: '[redacted]' } });
  expect(body).not.toContain(CANARY);
  expect(parse(body)).not.toHaveProperty('data.asked');
});

test('an approval that is not in the batch is read from the store', async () => {
  const events = [
    { seq: 1, at: AT, step: 0, type: 'approval.expired', node: 'ask', visit: 1, approvalId: 'none', status: 'expired' },
  ] as const;
  expect(await bodiesOf(['approval.expired'], aBatch([], { events }))).toEqual([null]);
});

test('an intervention is sent once while it waits, redacted', async () => {
  const intervention: Intervention = {
    kind: 'intervention',
    id: 'pay:1:1',
    node: 'pay',
    since: new Date(Date.now() + 60_000).toISOString(),
    tool: 'charge',
    args: { card: CANARY },
    idempotencyKey: null,
    error: { code: 'UNKNOWN_OUTCOME', message: CANARY, node: 'pay' },
    choices: [],
  };
  const run = { id: `R${count}`, tenantId: `t${count}` };
  const view = aView({ waitingFor: [intervention] });
  const [body] = await bodiesOf(['intervention.requested'], aBatch([1], { view }));
  expect(parse(body)).toMatchObject({ data: { runId: run.id, id: 'pay:1:1', node: 'pay', tool: 'charge' } });
  expect(body).not.toContain(CANARY);
  await writeTo(store, run, aBatch([2], { view }));
  const again = { ...intervention, since: new Date(Date.now() + 90_000).toISOString() };
  const told = async () => (await store.webhookDeliveries.list(`w${run.id}`, undefined, { limit: 9 })).items.length;
  expect(await told()).toBe(1);
  await writeTo(store, run, aBatch([3], { view: aView({ waitingFor: [again] }) }));
  expect(await told()).toBe(2);
});

test('large parts are left out and named', async () => {
  const view = aView({ status: 'completed', output: { text: 'x'.repeat(100_000) }, endedAt: AT });
  const events = [{ seq: 1, at: AT, step: 0, type: 'run.completed', output: null } as const];
  const [body] = await bodiesOf(['run.completed'], aBatch([], { events, view }));
  expect(body?.length).toBeLessThan(20_000);
  expect(parse(body)).toMatchObject({ data: { status: 'completed', omitted: ['output'] } });
  expect(parse(body)).not.toHaveProperty('data.output');
});
