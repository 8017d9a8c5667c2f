import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readCases } from '../../../src/dev/demo/ticket.ts';
import type { Client, TicketCase } from '../../../src/dev/demo/ticket.ts';
import { listIn, numberIn, textIn, runTicket } from '../../../src/dev/demo/run-ticket.ts';
import { toReport } from '../../../src/dev/demo/report.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import { startCluster } from '../../support/servers/cluster.ts';
import type { Cluster, VictimName } from '../../support/servers/cluster.ts';
import { createRandom } from '../../support/builders/random.ts';

/*
 * Processes are killed with SIGKILL in the middle of refund triages. Every ticket still ends as expected, and the shop
 * has recorded each refund once. CRASH_SEED selects other tickets, moments and victims; HOLDFAST_TEST_REPETITIONS is
 * the number of repetitions.
 */

const SEED = Number(process.env['CRASH_SEED'] ?? 1);
const REPETITIONS = Number(process.env['HOLDFAST_TEST_REPETITIONS'] ?? 2);
const TICKETS_AT_A_TIME = 3;

interface Moment {
  readonly name: string;
  /** A moment that is reached once in each run of a ticket that `passes`. */
  readonly reached: (cluster: Cluster, approver: WatchedApprover) => Promise<void>;
  readonly passes: (ticket: TicketCase) => boolean;
}

const isRefunded = ({ expected }: TicketCase): boolean => expected.refunded > 0;

const MOMENTS: readonly Moment[] = [
  {
    name: 'a refund was claimed and the shop has not heard of it',
    reached: ({ shop }) => shop.holdNext('POST /refunds', 'before'),
    passes: isRefunded,
  },
  {
    name: 'a refund was paid and not recorded',
    reached: ({ shop }) => shop.holdNext('POST /refunds', 'after'),
    passes: isRefunded,
  },
  {
    name: 'a model call is out',
    reached: ({ model }) => model.holdNext('POST /v1/chat/completions', 'before'),
    passes: () => true,
  },
  {
    name: 'an order is being looked up',
    reached: ({ shop }) => shop.holdNext('GET /orders', 'after'),
    passes: isRefunded,
  },
  {
    name: 'an approval waits',
    reached: (_, approver) => approver.holdNext(),
    passes: ({ expected }) => expected.decisions.length > 0,
  },
];

const VICTIMS: readonly (readonly VictimName[])[] = [
  ['worker'],
  ['worker'],
  ['temporal'],
  ['worker', 'temporal'],
  ['worker', 'api'],
];

interface Repetition {
  readonly number: number;
  readonly moment: Moment;
  readonly victims: readonly VictimName[];
  readonly tickets: readonly TicketCase[];
}

/** The first ticket reaches the moment while the others are in progress. */
function plan(cases: readonly TicketCase[]): Repetition[] {
  const random = createRandom(SEED);
  return Array.from({ length: REPETITIONS }, (_, number) => {
    const moment = MOMENTS[number % MOMENTS.length] ?? random.pick(MOMENTS);
    const first = random.pick(cases.filter(moment.passes));
    const others = random.shuffle(cases.filter((other) => other !== first)).slice(0, TICKETS_AT_A_TIME - 1);
    return { number, moment, victims: random.pick(VICTIMS), tickets: [first, ...others] };
  });
}

const repetitions = plan(await readCases());

describe(`processes that are killed with seed ${SEED}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    const definition = toJson(
      JSON.parse(await readFile(new URL('../../../graphs/refund-triage.json', import.meta.url), 'utf8')),
    );
    await cluster.as('user').post('/api/graphs', definition);
  }, 120_000);
  afterAll(async () => await cluster.stop(), 60_000);
  beforeEach(async () => await cluster.resetShop());

  test.each(
    repetitions.map((repetition) => ({
      ...repetition,
      when: repetition.moment.name,
      who: repetition.victims.join(' and '),
    })),
  )(
    'processes that are killed lose and repeat nothing ($number: $who, while $when)',
    async ({ moment, victims, tickets }) => {
      const approver = watchDecisions(cluster.as('approver'));
      const reached = moment.reached(cluster, approver);
      const user = cluster.as('user');
      const runs = Promise.all(
        tickets.map((ticket) => runTicket({ graph: 'refund-triage', user, approver, say: () => undefined }, ticket)),
      );
      await Promise.race([reached, runs.then(() => Promise.reject(new Error('The moment never came')))]);
      for (const victim of victims) await cluster.victims[victim].kill();
      cluster.shop.release();
      cluster.model.release();
      for (const victim of victims) await cluster.victims[victim].start();
      approver.release();

      const results = await runs;
      const report = await toReport(tickets, results, cluster.accounts);
      expect(report.map(({ ticketId, differences }) => ({ ticketId, differences }))).toEqual(
        tickets.map(({ ticket }) => ({ ticketId: ticket.id, differences: [] })),
      );
      for (const { runId } of results) await expectWholeHistory(user, runId);
    },
    120_000,
  );
});

/** An approver who can be held before a decision. */
interface WatchedApprover extends Client {
  /** @returns when there is an approval to decide */
  holdNext(): Promise<void>;
  release(): void;
}

function watchDecisions(client: Client): WatchedApprover {
  const events = new EventEmitter();
  let isHeld = false;
  return {
    ...client,
    async holdNext() {
      isHeld = true;
      await once(events, 'asked');
    },
    release() {
      isHeld = false;
      events.emit('released');
    },
    async post(path, body) {
      const released = once(events, 'released');
      events.emit('asked');
      if (isHeld) await released;
      return await client.post(path, body);
    },
  };
}

async function expectWholeHistory(user: Client, runId: string): Promise<void> {
  const types: string[] = [];
  const seqs: number[] = [];
  for (let path: string | null = `/api/runs/${runId}/history?limit=50`; path !== null;) {
    const page: JsonObject = await user.get(path);
    for (const event of listIn(page, 'items')) {
      types.push(textIn(event, 'type'));
      seqs.push(numberIn(event, 'seq'));
    }
    const next = page['nextCursor'];
    path = typeof next === 'string' ? `/api/runs/${runId}/history?limit=50&cursor=${encodeURIComponent(next)}` : null;
  }
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  expect([types[0], types.at(-1)]).toEqual(['run.started', 'run.completed']);
  expect(types.filter((type) => type.startsWith('run.'))).toHaveLength(2);
}
