import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WebhookDelivery } from '../../../../src/store/webhooks/webhook-deliveries.ts';
import { writeTo } from '../../../support/builders/store-builders.ts';
import { answer, hangUp, silence, startLoopbackServer } from '../../../support/doubles/loopback-server.ts';
import type { ReceivedRequest } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';
import { SECRET, aDispatcher, aFailure, addWebhook, failRun } from '../../../support/servers/webhooks.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const receiver = await useLoopbackServer();
const { round } = aDispatcher(store, [receiver.address]);

let count = 0;
let tenantId: string;
let webhook: string;
/** Each test has its own tenant with a webhook. */
beforeEach(async () => {
  count += 1;
  tenantId = `t${count}`;
  webhook = `w${count}`;
  await addWebhook(store, { id: webhook, tenantId, url: `${receiver.url}/in` });
});

/** Unsent deliveries would otherwise be sent in the next test. */
afterEach(async () => {
  const { items } = await store.webhooks.list(tenantId, { limit: 100 });
  await Promise.all(items.map(({ id }) => store.webhooks.remove(tenantId, id)));
});

const fail = async (name = 'R'): Promise<void> => await failRun(store, { id: `${name}-${tenantId}`, tenantId });
const deliveries = async (id = webhook): Promise<readonly WebhookDelivery[]> =>
  (await store.webhookDeliveries.list(id, undefined, { limit: 100 })).items;
const found = async (id = webhook) => await store.webhooks.find(tenantId, id);
function onlyRequest(): ReceivedRequest {
  const [request, ...others] = receiver.requests;
  if (!request || others.length > 0) throw new Error(`${receiver.requests.length} requests have come, not one`);
  return request;
}

const headersOf = ({ headers }: ReceivedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

describe('a webhook message', () => {
  test('a webhook message is signed and contains the event', async () => {
    await fail();
    receiver.answers(answer(204));
    await round();
    const request = onlyRequest();
    expect(request).toMatchObject({ method: 'POST', target: '/in' });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_\w+$/),
    });
    const verified = new Webhook(SECRET).verify(request.body, headersOf(request));
    expect(verified).toMatchObject({ type: 'run.failed', timestamp: expect.any(String) });
    expect(verified).toMatchObject({ data: { id: `R-${tenantId}`, status: 'failed', error: { code: 'INTERNAL' } } });
    expect(await deliveries()).toMatchObject([
      { status: 'delivered', nextAttemptAt: null, attempts: [{ status: 204, error: null }] },
    ]);
    await round();
    expect(receiver.requests).toHaveLength(1);
  });

  test('a webhook message has both signatures after a rotation', async () => {
    const secret = 'whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=';
    await store.webhooks.rotate({ tenantId, id: webhook }, { id: 'rotation', secret }, 3);
    await fail();
    receiver.answers(answer(200));
    await round();
    const request = onlyRequest();
    expect(headersOf(request)['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const one of [SECRET, secret])
      expect(() => new Webhook(one).verify(request.body, headersOf(request))).not.toThrow();
  });

  test('a webhook message for Slack has a link and no signature', async () => {
    const slack = { format: 'slack', secret: null, linkBase: 'https://me.example/console/' } as const;
    await addWebhook(store, { id: 'slack', tenantId, url: `${receiver.url}/slack`, ...slack });
    await store.webhooks.remove(tenantId, webhook);
    await fail();
    receiver.answers(answer(200, {}, 'ok'));
    await round();
    const { body, headers } = onlyRequest();
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(JSON.parse(body)).toMatchObject({
      text: `Run failed: refund (R-${tenantId})`,
      blocks: [
        {
          type: 'section',
          text: { text: expect.stringContaining(`<https://me.example/console/runs/R-${tenantId}|Open>`) },
        },
      ],
    });
  });

  test('the id and bytes of a webhook message do not change, also when a person sends it again', async () => {
    await fail();
    receiver.answers(answer(500), hangUp, answer(200), answer(200));
    for (let attempt = 0; attempt < 3; attempt++) await round();
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: [{ status: 500 }, { status: null }, { status: 200 }],
    });
    expect(await found()).toMatchObject({ failingSince: null });
    await store.webhookDeliveries.replay(webhook, delivery?.id ?? '');
    await round();
    expect(receiver.requests).toHaveLength(4);
    expect(new Set(receiver.requests.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(
      1,
    );
  });
});

describe('a failed delivery', () => {
  test('a webhook message ends after all its attempts fail, and the webhook stays enabled', async () => {
    await fail();
    receiver.answers(answer(500), answer(404), answer(502));
    for (let attempt = 0; attempt < 4; attempt++) await round();
    expect(await deliveries()).toMatchObject([{ status: 'failed', nextAttemptAt: null }]);
    expect(await found()).toMatchObject({ disabled: null, failingSince: expect.any(String) });
    expect(receiver.requests).toHaveLength(3);
  });

  test('a redirect of a webhook delivery is a failure and is not followed', async () => {
    const elsewhere = await startLoopbackServer();
    await fail();
    receiver.answers(answer(307, { location: elsewhere.url }));
    await aDispatcher(store, [receiver.address, elsewhere.address]).round();
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: [{ status: 307 }] }]);
    expect(elsewhere.connections).toBe(0);
    await elsewhere.stop();
    await store.webhooks.remove(tenantId, webhook);
  });

  test('a webhook receiver that does not answer in time is a failure', async () => {
    await fail();
    receiver.answers(silence().answer);
    await aDispatcher(store, [receiver.address], { answerMs: 500, delaysMs: [] }).round();
    expect(await deliveries()).toMatchObject([
      { status: 'failed', attempts: [{ status: null, error: 'There was no answer within 0.5 s' }] },
    ]);
  });

  test('a webhook address that the network guard refuses is a failed delivery', async () => {
    const inside = await startLoopbackServer();
    const urls = { [`ip-${webhook}`]: inside.url, [`name-${webhook}`]: inside.url.replace('127.0.0.1', 'localhost') };
    for (const [id, url] of Object.entries(urls)) await addWebhook(store, { id, tenantId, url });
    await fail();
    await aDispatcher(store, [], { delaysMs: [] }).round();
    expect(inside.connections).toBe(0);
    await inside.stop();
    for (const id of Object.keys(urls))
      expect(await deliveries(id)).toMatchObject([
        { attempts: [{ error: expect.stringMatching(/^The URL is blocked: .* webhooks may reach/) }] },
      ]);
  });

  test('Retry-After delays the next attempt of a webhook delivery', async () => {
    await fail();
    receiver.answers(answer(429, { 'retry-after': '120' }));
    await round();
    const [delivery] = await deliveries();
    const pauseMs = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '');
    expect(pauseMs).toBeGreaterThan(115_000);
    await store.webhooks.remove(tenantId, webhook);
  });

  test("a failure of one webhook message delays the webhook's other messages", async () => {
    for (const name of ['A', 'B', 'C']) await fail(name);
    receiver.answers(answer(500));
    await round();
    const attempts = (await deliveries()).map((delivery) => delivery.attempts.length);
    expect([receiver.requests.length, attempts.toSorted((a, b) => a - b)]).toEqual([1, [0, 0, 1]]);
    receiver.answers(answer(500), answer(200), answer(200), answer(200));
    await round();
    await round();
    expect(receiver.requests).toHaveLength(3);
    await round();
    expect((await deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  test('a webhook message that cannot be built is a failure, and later messages are sent', async () => {
    const slack = { format: 'slack', secret: null } as const;
    await addWebhook(store, { id: `slack-${webhook}`, tenantId, url: receiver.url, ...slack });
    await store.webhooks.remove(tenantId, webhook);
    const ping = { id: `odd-${tenantId}`, tenantId, webhookId: `slack-${webhook}`, body: 'no JSON' };
    await store.webhookDeliveries.ping(ping);
    await fail();
    receiver.answers(answer(200));
    for (let attempt = 0; attempt < 5; attempt++) await round();
    const error = 'The message could not be made';
    expect(await deliveries(`slack-${webhook}`)).toMatchObject([
      { status: 'delivered' },
      { status: 'failed', attempts: [{ error }, { error }, { error }] },
    ]);
  });
});

describe('disabling a webhook', () => {
  const failedFor = async (age: string): Promise<void> =>
    void (await store.database.query(`update webhooks set failing_since = now() - interval '${age}' where id = $1`, [
      webhook,
    ]));

  test('a webhook is disabled by an answer 410, and enabled again by a person', async () => {
    for (const name of ['A', 'B']) await fail(name);
    receiver.answers(answer(410));
    await round();
    expect(await found()).toMatchObject({ disabled: { reason: 'gone' } });
    expect((await deliveries()).map(({ status }) => status)).toEqual(['failed', 'failed']);
    await fail('C');
    expect(await deliveries()).toHaveLength(2);
    expect(await store.webhooks.enable(tenantId, webhook)).toMatchObject({ disabled: null, failingSince: null });
    await fail('D');
    receiver.answers(answer(200));
    await round();
    expect((await deliveries()).map(({ status }) => status)).toEqual(['delivered', 'failed', 'failed']);
  });

  test.each([
    ['4 days', undefined],
    ['121 hours', 'failing'],
  ])(
    'a webhook is disabled after failures for more than five days; the reason after %s of failures: %j',
    async (age, reason) => {
      await fail();
      await failedFor(age);
      receiver.answers(answer(500));
      await aDispatcher(store, [receiver.address], { delaysMs: [] }).round();
      expect((await found())?.disabled?.reason).toBe(reason);
    },
  );

  test('a webhook is disabled by the last attempt of a message, not by the first, however old its last failure is', async () => {
    await fail();
    await failedFor('60 days');
    receiver.answers(answer(500), answer(500), answer(500));
    await round();
    await round();
    expect(await found()).toMatchObject({ disabled: null });
    await round();
    expect(await found()).toMatchObject({ disabled: { reason: 'failing' } });
  });
});

describe('concurrent dispatchers', () => {
  test('concurrent webhook dispatchers send a message once', async () => {
    for (let n = 0; n < 10; n++) await fail(`R${n}`);
    receiver.answers(...Array.from({ length: 20 }, () => answer(200)));
    const dispatchers = Array.from({ length: 4 }, () => aDispatcher(store, [receiver.address]));
    await Promise.all(dispatchers.map(async (dispatcher) => await dispatcher.round()));
    expect(receiver.requests).toHaveLength(10);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(10);
  });

  test('a webhook dispatcher sends a message again, under the same id, that another dispatcher has sent but not recorded', async () => {
    await fail();
    receiver.answers(answer(200), answer(200));
    const record = async (): Promise<never> => await Promise.reject(new Error('killed'));
    const killed = { ...store, dueDeliveries: { ...store.dueDeliveries, record } };
    await aDispatcher(killed, [receiver.address], { leaseMs: 3_600_000 }).round();
    await round();
    expect(receiver.requests).toHaveLength(1);
    await store.database.query('update webhook_deliveries set due_at = now() where webhook_id = $1', [webhook]);
    await round();
    expect(receiver.requests).toHaveLength(2);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }]);
  });

  test('another webhook dispatcher sends at once what was claimed together with a delivery that could not be recorded', async () => {
    for (const name of ['A', 'B', 'C']) await fail(name);
    receiver.answers(answer(200), answer(200), answer(200));
    const record = async (): Promise<never> => await Promise.reject(new Error('away'));
    await aDispatcher({ ...store, dueDeliveries: { ...store.dueDeliveries, record } }, [receiver.address]).round();
    await round();
    expect((await deliveries()).map(({ status }) => status).toSorted()).toEqual(['delivered', 'delivered', 'pending']);
    await store.webhooks.remove(tenantId, webhook);
  });

  test('a late webhook dispatcher does not overwrite the record of another one', async () => {
    await fail();
    const busy = { webhooks: [], ofTenants: new Map() };
    const terms = { after: '', webhooks: 9, webhooksOfTenant: 9, deliveriesOfWebhook: 9, leaseMs: 0, busy };
    const [late] = await store.dueDeliveries.claim({ ...terms, claim: 'late' });
    if (!late) throw new Error('nothing was claimed');
    receiver.answers(answer(200));
    await round();
    const attempt = { at: new Date().toISOString(), status: 500, error: null, durationMs: 1 };
    await store.dueDeliveries.record(late, attempt, { kind: 'failed' });
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }]);
    expect(await found()).toMatchObject({ failingSince: null });
  });

  test('webhook receivers that do not answer delay no other webhook', async () => {
    const { answer: hangs, asked } = silence();
    let hangUpNow = (): void => undefined;
    await fail();
    receiver.answers((response) => {
      hangUpNow = () => hangUp(response);
      hangs(response);
    });
    const dispatcher = aDispatcher(store, [receiver.address], { answerMs: 60_000, delaysMs: [] });
    await dispatcher.begin();
    await asked;
    await addWebhook(store, { id: `other-${webhook}`, tenantId: `other-${tenantId}`, url: receiver.url });
    await failRun(store, { id: `other-${tenantId}`, tenantId: `other-${tenantId}` });
    receiver.answers(answer(200));
    await dispatcher.begin();
    await expect.poll(async () => (await deliveries(`other-${webhook}`))[0]?.status).toBe('delivered');
    expect(await deliveries()).toMatchObject([{ status: 'pending' }]);
    hangUpNow();
    await dispatcher.settled();
  });
});

test('fifteen dead webhook receivers do not starve another webhook of their tenant', async () => {
  const dead = await startLoopbackServer();
  dead.answers(...Array.from({ length: 1_000 }, () => silence().answer));
  await store.webhooks.remove(tenantId, webhook);
  for (let n = 0; n < 15; n++) await addWebhook(store, { id: `a${n}-${webhook}`, tenantId, url: `${dead.url}/${n}` });
  await addWebhook(store, { id: `z-${webhook}`, tenantId, url: receiver.url });
  await fail();
  receiver.answers(...Array.from({ length: 40 }, () => answer(200)));
  const isDelivered = async () => (await deliveries(`z-${webhook}`))[0]?.status === 'delivered';
  const times = { answerMs: 400, delaysMs: Array.from({ length: 100 }, () => 0) };
  const dispatcher = aDispatcher(store, [receiver.address, dead.address], times);
  for (let round = 0; round < 40 && !(await isDelivered()); round++) {
    const before = dead.requests.length;
    await dispatcher.begin();
    await dispatcher.begin();
    await dispatcher.settled();
    expect(dead.requests.length - before).toBeLessThanOrEqual(16);
  }
  expect(await isDelivered()).toBe(true);
  for (let n = 0; n < 15; n++) await store.webhooks.remove(tenantId, `a${n}-${webhook}`);
  await dead.stop();
});

test('a webhook message is sent although its run was deleted meanwhile', async () => {
  await fail();
  await store.database.query('delete from runs where tenant_id = $1', [tenantId]);
  await round();
  expect(await deliveries()).toMatchObject([
    { status: 'failed', attempts: [{ error: expect.stringMatching(/not stored any more/) }] },
  ]);
  expect(receiver.requests).toEqual([]);
  expect(await found()).toMatchObject({ failingSince: null });
});

test('writing an event batch again sends no further webhook messages', async () => {
  await fail();
  await writeTo(store, { id: `R-${tenantId}`, tenantId }, aFailure());
  expect(await deliveries()).toHaveLength(1);
  await store.webhooks.remove(tenantId, webhook);
});
