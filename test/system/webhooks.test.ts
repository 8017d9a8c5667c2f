import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { Client, WebhookDelivery } from '../../src/client/index.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createRandom } from '../support/builders/random.ts';
import { ACCEPTING_RECEIVERS, startUnreliableReceivers } from '../support/doubles/unreliable-receivers.ts';
import type { ReceivedMessage, UnreliableReceivers, ReceiverName } from '../support/doubles/unreliable-receivers.ts';
import { createPatientFetch } from '../support/readers/patient-fetch.ts';
import { SHORT_TIMES } from '../support/servers/short-times.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';

/*
 * Receivers fail, hang, disconnect, redirect, are busy or gone, while the sending processes are killed. No message is
 * lost, none is sent too early, and a repeated one has the same id and the same bytes. WEBHOOK_SEED selects other
 * moments, HOLDFAST_TEST_REPETITIONS is the number of kills.
 */

const SEED = Number(process.env['WEBHOOK_SEED'] ?? 1);
const KILLS = Number(process.env['HOLDFAST_TEST_REPETITIONS'] ?? 6);
const EVENTS = ['run.started', 'run.completed'] as const;
const RECEIVERS = [...ACCEPTING_RECEIVERS, 'dead', 'gone'] as const;
const SETTLED_WITHIN_MS = 240_000;
/** Clocks are read shortly before and after the measured event. */
const SLACK_MS = 60;
const { delaysMs } = SHORT_TIMES.dispatcher;

const teardown = openTeardown();
let receivers: UnreliableReceivers;
let processes: Processes;
let user: Client;
beforeAll(async () => {
  receivers = await startUnreliableReceivers();
  teardown.add(() => receivers.stop());
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  processes = await startProcesses(
    {
      databaseUrl: await postgres.createDatabase('holdfast'),
      config: { webhooks: { allow: [receivers.address] } },
      api: 'test/support/servers/api-with-short-times.ts',
      apis: [{}, {}],
      isAwaited: true,
    },
    teardown,
  );
  const patience = { giveUpAfterMs: 60_000, heard: () => undefined };
  const ask = createPatientFetch(processes.baseUrls, createRandom(SEED), patience);
  const fetch = async (url: string, init: RequestInit): Promise<Response> => await ask(new URL(url), init);
  user = createClient({ baseUrl: 'http://any', token: processes.tokens.user, fetch });
}, 180_000);
afterAll(() => teardown.run());

/** The messages for one receiver. */
interface Account {
  readonly receiver: ReceiverName;
  readonly deliveries: readonly WebhookDelivery[];
  readonly heard: readonly ReceivedMessage[];
}

test(`webhooks receive each event although processes are killed ${KILLS} times, with seed ${SEED}`, async () => {
  const webhooks = new Map<ReceiverName, string>();
  for (const receiver of RECEIVERS)
    webhooks.set(receiver, (await user.webhooks.add({ url: receivers.urlOf(receiver), events: [...EVENTS] })).id);
  const [runs, apiKills] = await Promise.all([startRuns(), killInTurns()]);
  await expect.poll(() => isSettled(webhooks), { timeout: SETTLED_WITHIN_MS, interval: 500 }).toBe(true);

  const wanted = runs.flatMap((run) => EVENTS.map((type) => `${run} ${type}`)).toSorted();
  expect(receivers.followed).toBe(0);
  for (const [receiver, id] of webhooks) {
    const heard = receivers.heard.filter((message) => message.receiver === receiver);
    const account = { receiver, deliveries: await deliveriesOf(id), heard };
    expectSameMessages(account, apiKills);
    expect([receiver, hastyPauses(account)]).toEqual([receiver, []]);
    expect([receiver, outcomesOf(account)]).toEqual([receiver, OUTCOMES[receiver] ?? ['delivered']]);
    const told = account.deliveries.map(({ runId, type }) => `${runId} ${type}`).toSorted();
    expect([receiver, told]).toEqual([receiver, receiver === 'gone' ? told : wanted]);
  }
  expect(await user.webhooks.get(webhooks.get('gone') ?? '')).toMatchObject({ disabled: { reason: 'gone' } });
}, 600_000);

/** Starts runs as long as processes are killed. @returns their ids */
async function startRuns(): Promise<readonly string[]> {
  const random = createRandom(SEED + 1);
  const ids: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const { id } = await user.runs.start({ graph: aDefinition({ name: `told-${n}` }), input: {} });
    ids.push(id);
    await sleep(random.next() * 800);
  }
  for (const id of ids) await user.runs.wait(id);
  return ids;
}

/** @returns the number of killed APIs */
async function killInTurns(): Promise<number> {
  const random = createRandom(SEED + 2);
  const { apis, workers } = processes;
  const victims = [...apis, ...workers];
  let apiKills = 0;
  for (let n = 0; n < KILLS; n += 1) {
    const victim = victims[n % victims.length];
    await sleep(300 + random.next() * 1_500);
    await victim?.kill();
    await sleep(random.next() * 1_000);
    await victim?.start();
    if (victim !== undefined && apis.includes(victim)) apiKills += 1;
  }
  return apiKills;
}

async function deliveriesOf(id: string): Promise<readonly WebhookDelivery[]> {
  const found: WebhookDelivery[] = [];
  for await (const delivery of user.webhooks.deliveries(id)) found.push(delivery);
  return found;
}

async function isSettled(webhooks: ReadonlyMap<ReceiverName, string>): Promise<boolean> {
  for (const id of webhooks.values())
    if ((await user.webhooks.deliveries(id, { status: 'pending', limit: 1 }).page()).items.length > 0) return false;
  return true;
}

/** The outcomes of messages, with the number of failed attempts. A webhook that answered 410 receives nothing more. */
const OUTCOMES: Readonly<Partial<Record<ReceiverName, readonly string[]>>> = {
  dead: [`failed after ${delaysMs.length + 1}`],
  gone: ['failed after 1'],
};

/**
 * A receiver that is gone receives the message again if this process could not record its response: only recorded
 * responses count.
 */
function outcomesOf({ receiver, deliveries }: Account): readonly string[] {
  const outcomes = deliveries
    .map(({ status, attempts }) => ({
      status,
      attempts: receiver === 'gone' ? attempts.filter((attempt) => attempt.status !== null) : attempts,
    }))
    .filter(({ attempts }) => attempts.length > 0)
    .map(({ status, attempts }) => (status === 'failed' ? `failed after ${attempts.length}` : status));
  return [...new Set(outcomes)];
}

interface Identified {
  readonly id: string;
}

/** The ids of some messages that the others lack. */
function idsMissing(some: readonly Identified[], others: readonly Identified[]): string[] {
  const there = new Set(others.map(({ id }) => id));
  return some.map(({ id }) => id).filter((id) => !there.has(id));
}

type Attempt = WebhookDelivery['attempts'][number];

/** A busy process may have given up such an attempt before it was sent. */
const hasTimedOut = ({ error }: Attempt): boolean => error?.startsWith('There was no answer within') ?? false;

/** A repeated message is identical, whichever process sends it; only a killed process forgets an attempt. */
function expectSameMessages({ receiver, deliveries, heard }: Account, apiKills: number): void {
  const attempts = deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => ({ ...attempt, id: delivery.id })),
  );
  const sent = attempts.filter((attempt) => !hasTimedOut(attempt));
  expect([receiver, idsMissing(sent, heard)]).toEqual([receiver, []]);
  expect([receiver, idsMissing(heard, attempts)]).toEqual([receiver, []]);
  expect(new Set(heard.map(({ id, body }) => `${id} ${body}`)).size).toBe(new Set(heard.map(({ id }) => id)).size);
  expect(heard.length).toBeGreaterThanOrEqual(sent.length);
  expect(heard.length - attempts.length).toBeLessThanOrEqual(apiKills);
}

/** This process may receive the message of an abandoned attempt late, so that the next one seems early. */
function followsTimeout(attempts: WebhookDelivery['attempts'], cameAt: number): boolean {
  const before = attempts.findLast(({ at, durationMs }) => Date.parse(at) + durationMs <= cameAt);
  return before !== undefined && hasTimedOut(before);
}

/** The pauses that were shorter than scheduled, by the delivery log and by the times at the receiver. */
function hastyPauses({ receiver, deliveries, heard }: Account): readonly string[] {
  const leastMs = (failures: number): number =>
    Math.max(delaysMs[failures] ?? Number.POSITIVE_INFINITY, receiver === 'busy' ? 1_000 : 0) - SLACK_MS;
  const noted = deliveries.flatMap(({ id, attempts }) =>
    attempts.slice(1).flatMap(({ at: began }, failures) => {
      const before = attempts[failures];
      const pauseMs = Date.parse(began) - Date.parse(before?.at ?? '') - (before?.durationMs ?? 0);
      return pauseMs >= leastMs(failures) ? [] : [`${id}: ${pauseMs} ms after ${failures + 1} failures`];
    }),
  );
  const attemptsOf = new Map(deliveries.map(({ id, attempts }) => [id, attempts]));
  const came = heard.flatMap(({ id, at: cameAt }, nth) => {
    const before = heard.slice(0, nth).findLast((message) => message.id === id);
    const pauseMs = cameAt - (before?.at ?? 0);
    if (pauseMs >= delaysMs[0] - SLACK_MS || followsTimeout(attemptsOf.get(id) ?? [], cameAt)) return [];
    return [`${id}: came again after ${pauseMs} ms`];
  });
  return [...noted, ...came];
}
