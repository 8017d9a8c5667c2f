import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { Client, NewWebhook } from '../../../src/client/index.ts';
import { answer, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { hasStatus, startAsking } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let receiver: LoopbackServer;
let stack: TestStack;
let user: Client;
beforeAll(async () => {
  receiver = await startLoopbackServer();
  const sweeping = { deliveriesMs: 50, dispatcher: { delaysMs: [50, 50] } };
  stack = await startTestStack({ webhooks: { allow: [receiver.address] } }, {}, sweeping);
  user = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user });
});
afterAll(async () => {
  await stack.stop();
  await receiver.stop();
});
beforeEach(async () => {
  for await (const { id } of user.webhooks.list()) await user.webhooks.remove(id);
  receiver.forget();
  receiver.answers(...Array.from({ length: 20 }, () => answer(200)));
});

const EVENTS: NewWebhook['events'] = [
  'run.started',
  'run.completed',
  'run.canceled',
  'run.paused',
  'approval.requested',
  'approval.decided',
];

const typesTold = (): readonly string[] =>
  receiver.requests.map(({ body }) => textAt(JSON.parse(body), '/type')).toSorted();

test('a webhook receives each event of a run with an approval', async () => {
  const { secret } = await user.webhooks.add({ url: receiver.url, events: EVENTS });
  const { runId, approvalId } = await startAsking(stack.as('user'));
  await stack.as('approver').post(`/api/approvals/${approvalId}/decision`, { decision: 'approve' });
  await stack.as('user').untilRun(runId, hasStatus('completed'));
  const all = ['approval.decided', 'approval.requested', 'run.completed', 'run.started'];
  await expect.poll(typesTold).toEqual(all);
  for (const { body, headers } of receiver.requests) {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const verified = new Verifier(secret ?? '').verify(body, sent);
    const isOfRun = textAt(JSON.parse(body), '/type').startsWith('run');
    expect(verified).toMatchObject({ data: isOfRun ? { id: runId } : { id: approvalId, runId } });
  }
});

test('a webhook receives pauses and cancellations, and no event that it did not subscribe to', async () => {
  await user.webhooks.add({ url: receiver.url, events: ['run.paused', 'run.canceled'] });
  const { runId } = await startAsking(stack.as('user'));
  await user.runs.pause(runId);
  await stack.as('user').untilRun(runId, hasStatus('paused'));
  await user.runs.cancel(runId);
  await expect.poll(typesTold).toEqual(['run.canceled', 'run.paused']);
});

test('a failed ping of a webhook is retried and recorded in the delivery log', async () => {
  receiver.forget();
  receiver.answers(answer(503), answer(200));
  const { id } = await user.webhooks.add({ url: receiver.url, events: EVENTS });
  await user.webhooks.ping(id);
  const read = async () => (await user.webhooks.deliveries(id, { status: 'delivered' }).page()).items;
  await expect.poll(read).toMatchObject([{ type: 'webhook.ping', attempts: [{ status: 503 }, { status: 200 }] }]);
  const [delivery] = await read();
  receiver.answers(answer(200));
  await user.webhooks.replay(id, delivery?.id ?? '');
  await expect.poll(() => receiver.requests.length).toBe(3);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery?.id]));
});
