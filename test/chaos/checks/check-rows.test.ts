import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryStore } from '../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../support/servers/memory-database.ts';
import { AT, aBatch, aNewRun, anApproval, endRun, writeTo } from '../../support/builders/store-builders.ts';
import { checkRows } from './check-rows.ts';

/* Each chaos rule about rows fails for its own violation, and for no other. */

const ACCEPTED = 2;

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
  await aRun('R-ended');
  await store.ledger.complete({ key: 'R-ended:call', claim: 'c' }, 'done');
  await writeTo(store, { id: 'R-ended' }, aBatch([3], { approvals: [anApproval('R-ended', 'approved')] }));
  await endRun(store, { id: 'R-ended' }, 4);
  await aRun('R-open');
});
afterAll(async () => await store.close());

/** Inserts a run that Temporal has, with two events, an open call, and a pending approval. */
async function aRun(id: string): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  await store.pendingStarts.complete({ id, execution: 1 }, AT);
  const call = { key: `${id}:call`, tenantId: 'acme', runId: id, node: 'a', called: 'tool:a', requestHash: 'h' };
  await store.ledger.claim({ ...call, takeover: 0, claim: 'c', scheduledAt: 1, at: AT, journal: null }, () => ({
    isGranted: true,
    failures: 0,
  }));
  await writeTo(store, { id }, aBatch([1, 2], { approvals: [anApproval(id, 'pending')] }));
}

/** Returns the violations after a statement, which is rolled back. */
async function brokenAfter(statement: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const found = await store.database.transaction(async (change) => {
    await change.query(statement);
    const found = await checkRows(async (query) => await change.query<Record<string, unknown>>(query), ACCEPTED);
    await change.rollback();
    return found;
  });
  return Object.fromEntries(Object.entries(found).filter(([, findings]) => findings.length > 0));
}

test('a consistent store violates no rule of the chaos check', async () => {
  expect(await brokenAfter('select 1')).toEqual({});
});

const NUMBERED = 'every event number of a run is in the history';
const DISPATCHED = 'every run was dispatched to Temporal';
const NO_OPEN_CALL = 'an ended run has no open call';
const NOT_PENDING = 'an ended run has no pending approval';
const ONE_RUN_EACH = 'there is one run for each that was accepted';

interface Violation {
  readonly what: string;
  readonly statement: string;
  readonly rule: string;
  readonly finding: string;
}

const VIOLATIONS: readonly Violation[] = [
  {
    what: 'a missing event',
    statement: `delete from events where run_id = 'R-open' and seq = 1`,
    rule: NUMBERED,
    finding: 'R-open',
  },
  {
    what: 'a missing last event',
    statement: `delete from events where run_id = 'R-ended' and seq = 4`,
    rule: NUMBERED,
    finding: 'R-ended',
  },
  {
    what: 'a run without any of its events',
    statement: `delete from events where run_id = 'R-open'`,
    rule: NUMBERED,
    finding: 'R-open',
  },
  {
    what: "an event that the run's row does not count",
    statement: `update runs set last_seq = 1 where id = 'R-open'`,
    rule: NUMBERED,
    finding: 'R-open',
  },
  {
    what: 'a gap in the event numbers',
    statement: `update events set seq = 9 where run_id = 'R-open' and seq = 2`,
    rule: NUMBERED,
    finding: 'R-open',
  },
  {
    what: 'a run that was never handed over to Temporal',
    statement: `update runs set dispatched_at = null where id = 'R-open'`,
    rule: DISPATCHED,
    finding: 'R-open',
  },
  {
    what: 'a claim of a run that has ended',
    statement: `update ledger set status = 'claimed' where run_id = 'R-ended'`,
    rule: NO_OPEN_CALL,
    finding: 'R-ended:call is claimed',
  },
  {
    what: 'a pending retry of a call whose run has ended',
    statement: `update ledger set status = 'retrying' where run_id = 'R-ended'`,
    rule: NO_OPEN_CALL,
    finding: 'R-ended:call is retrying',
  },
  {
    what: 'a pending approval whose run has ended',
    statement: `update approvals set status = 'pending' where run_id = 'R-ended'`,
    rule: NOT_PENDING,
    finding: 'R-ended.a1',
  },
  {
    what: 'a missing run',
    statement: `delete from runs where id = 'R-open'`,
    rule: ONE_RUN_EACH,
    finding: '1 runs',
  },
  {
    what: 'a run that was started twice',
    statement: `insert into runs select (json_populate_record(null::runs, (to_jsonb(runs) || '{"id": "R-twin", "last_seq": 0}')::json)).*
       from runs where id = 'R-open'`,
    rule: ONE_RUN_EACH,
    finding: '3 runs',
  },
];

test.each(VIOLATIONS)('the chaos check reports $what by one rule only', async ({ statement, rule, finding }) => {
  expect(await brokenAfter(statement)).toEqual({ [rule]: [finding] });
});

test('each rule of the chaos check about rows is violated by an example of this test', async () => {
  const rules = Object.keys(await checkRows(async (query) => await store.database.query(query), ACCEPTED));
  expect([...new Set(VIOLATIONS.map(({ rule }) => rule))].toSorted()).toEqual(rules.toSorted());
});
