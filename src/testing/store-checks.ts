import { randomUUID } from 'node:crypto';
import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { NOT_BEGUN_VIEW } from '../graph/journal/index.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import { NOTHING_REDACTED } from '../graph/redaction/index.ts';
import type { NewRun } from '../store/accept-run.ts';
import type { Store } from '../store/store.ts';

/* Runs as checks of stores make them; each is of a tenant of its own. */

const AT = '2026-01-02T03:04:05.678Z';
/** After `AT`. */
const LATER = '2026-01-02T04:04:05.678Z';

/** A new name of a tenant, a run or a key. */
const aName = (): string => `check-${randomUUID()}`;

/** A run whose graph is `{}`. */
export function aRun(over: Partial<NewRun> = {}): NewRun {
  return {
    id: aName(),
    tenantId: aName(),
    graph: { name: 'checked', version: 1, hash: 'check-of-a-store' },
    definition: {},
    threadId: null,
    onBusy: 'reject',
    parentRunId: null,
    replay: null,
    input: {},
    limits: {},
    metadata: {},
    redaction: NOTHING_REDACTED,
    createdBy: 'ann',
    createdAt: AT,
    start: {},
    ...over,
  };
}

/** The part of a journal with some events. */
function aBatch(seqs: readonly number[], node = 'n'): JournalBatch {
  const events = seqs.map((seq) => ({ seq, at: AT, step: 0, type: 'step.started', nodes: [`${node}${seq}`] }) as const);
  const view = { ...NOT_BEGUN_VIEW, status: 'running', startedAt: AT, step: 0 } as const;
  return { events, checkpoints: [], approvals: [], occurrences: [], view, endedState: null };
}

/** Accepts a run. @returns functions that write to its journal, and read the numbers of its events */
async function aJournal(store: Store) {
  const run = aRun();
  const { id: runId, tenantId } = run;
  await store.runs.create(run);
  const writer = { runId, tenantId, executionRunId: 'first' };
  return {
    runId,
    write: async (...seqs: readonly number[]) => await store.journal.write(aBatch(seqs), writer),
    writeOther: async (...seqs: readonly number[]) => await store.journal.write(aBatch(seqs, 'other'), writer),
    read: async () => (await store.journal.events(runId, 0, 100)).map(({ seq }) => seq),
  };
}

/** Something that the engine relies on, whatever a store is made of. */
export interface StoreCheck {
  readonly name: string;
  /** Writes to the store and reads it, under names of its own. @throws AssertionError if it does not keep the promise */
  readonly check: (store: Store) => Promise<void>;
}

const TEN = Array.from({ length: 10 }, (_, n) => n);

/** What `Promise.all` gives of ten that begin at the same moment. */
const tenAtOnce = async <T>(begin: (n: number) => Promise<T>): Promise<readonly T[]> =>
  await Promise.all(TEN.map(async (n) => await begin(n)));

/**
 * The promises of a store without which runs are lost, started twice, or call twice. A store that keeps them may break
 * others: they are a part of what the tests of this package ask of its own.
 */
export const storeChecks: readonly StoreCheck[] = [
  {
    name: 'a run is accepted once, and belongs to its tenant',
    async check(store) {
      const run = aRun();
      await tenAtOnce(async () => await store.runs.create(run));
      await store.runs.create({ ...run, createdBy: 'somebody else' });
      equal((await store.runs.find(run.id))?.createdBy, run.createdBy);
      equal((await store.runs.list(run.tenantId, {}, { limit: 10 })).items.length, 1);
      equal((await store.runs.list(aName(), {}, { limit: 10 })).items.length, 0);
    },
  },
  {
    name: 'one process at a time dispatches a run, and another does later',
    async check({ runs, pendingStarts }) {
      const { id } = await acceptTestRun({ runs });
      const claims = await tenAtOnce(async () => await pendingStarts.claim(id, AT, LATER));
      equal(claims.filter((claim) => claim !== null).length, 1);
      notEqual(await pendingStarts.claim(id, LATER, LATER), null);
      await pendingStarts.complete({ id, execution: 1 }, LATER);
      equal(await pendingStarts.claim(id, LATER, LATER), null);
    },
  },
  {
    name: 'a thread has one active run',
    async check({ runs }) {
      const { tenantId } = await acceptTestRun({ runs }, { threadId: 'talk' });
      const others = await tenAtOnce(async () => await runs.create(aRun({ tenantId, threadId: 'talk' })));
      deepEqual(new Set(others), new Set(['busy']));
      equal(await runs.create(aRun({ tenantId, threadId: 'another' })), 'accepted');
    },
  },
  {
    name: 'a batch of a journal that is written again changes nothing',
    async check(store) {
      const { write, read } = await aJournal(store);
      await tenAtOnce(async () => await write(1, 2));
      await write(1, 2);
      deepEqual(await read(), [1, 2]);
    },
  },
  {
    name: 'a batch that says something else than the journal is refused whole',
    async check(store) {
      const { write, writeOther, read } = await aJournal(store);
      await write(1, 2);
      await rejects(async () => await writeOther(2, 3), { constraint: 'events_say_one_thing' });
      deepEqual(await read(), [1, 2]);
    },
  },
  {
    name: 'batches come in any order, and a reader stops at the first gap',
    async check(store) {
      const { write, read } = await aJournal(store);
      await write(3, 4);
      deepEqual(await read(), []);
      await write(1);
      deepEqual(await read(), [1]);
      await write(2);
      deepEqual(await read(), [1, 2, 3, 4]);
    },
  },
  {
    name: 'a batch reaches the subscribers of its run',
    async check(store) {
      const { runId, write } = await aJournal(store);
      const changes: unknown[] = [];
      const unsubscribe = store.changes.subscribe(runId, (change) => changes.push(change));
      try {
        // A subscription takes a moment to begin.
        for (let seq = 1; changes.length === 0 && seq <= 50; seq++) {
          await write(seq);
          await sleep(100);
        }
        notEqual(changes.length, 0);
      } finally {
        unsubscribe();
      }
    },
  },
  {
    name: 'of claims to make a call at the same moment one is first',
    async check({ ledger }) {
      const key = aName();
      const outcomes = await tenAtOnce(
        async (n) => await ledger.claim(aClaim(key, `claim ${n}`), () => ({ isGranted: false, answer: 'late' })),
      );
      equal(outcomes.filter((outcome) => 'failures' in outcome).length, 1);
    },
  },
  {
    name: 'an attempt that has lost its claim records nothing',
    async check({ ledger }) {
      const key = aName();
      await ledger.claim(aClaim(key, 'old'), () => ({ isGranted: false, answer: 'late' }));
      await ledger.claim(aClaim(key, 'new'), ({ failures }) => ({ isGranted: true, failures }));
      equal(await ledger.complete({ key, claim: 'old' }, 'old'), false);
      equal(await ledger.complete({ key, claim: 'new' }, 'new'), true);
      deepEqual(await ledger.claim(aClaim(key, 'old'), ({ result }) => ({ isGranted: false, answer: result })), {
        answer: 'new',
      });
    },
  },
  {
    name: 'requests with one idempotency key are admitted one at a time',
    async check({ idempotency }) {
      const who = { tenantId: aName(), subject: 'ann', route: 'POST /api/runs', key: 'k' };
      const request = { ...who, fingerprint: 'f', resourceId: aName(), at: AT, leaseUntil: LATER };
      const kinds = (await tenAtOnce(async () => await idempotency.admit(request))).map(({ kind }) => kind);
      equal(kinds.filter((kind) => kind === 'proceed').length, 1);
      equal((await idempotency.admit({ ...request, fingerprint: 'g' })).kind, 'reused');
      equal((await idempotency.admit({ ...request, subject: 'bob' })).kind, 'proceed');
    },
  },
  {
    name: 'versions of a graph that are published at the same moment are different',
    async check({ graphs }) {
      const graph = { tenantId: aName(), name: 'g', warnings: [], pins: {}, createdAt: AT, createdBy: 'ann' };
      const published = await tenAtOnce(
        async (n) => await graphs.publish({ ...graph, hash: `check-of-a-store-${n}`, definition: { n } }),
      );
      equal(new Set(published.map(({ graph: { version } }) => version)).size, TEN.length);
    },
  },
  {
    name: 'all of JSON comes back as it was',
    async check({ runs }) {
      const input = { z: 'a\u0000b', a: '\uD800', numbers: [1e-7, -0.5, 1e21], nested: { y: null, b: [] } };
      const { id } = await acceptTestRun({ runs }, { input });
      equal(JSON.stringify((await runs.find(id))?.input), JSON.stringify(input));
    },
  },
];

async function acceptTestRun({ runs }: Pick<Store, 'runs'>, over: Parameters<typeof aRun>[0] = {}) {
  const run = aRun(over);
  equal(await runs.create(run), 'accepted');
  return run;
}

const aClaim = (key: string, claim: string) => ({
  key,
  claim,
  tenantId: 'check',
  runId: key,
  node: 'pay',
  called: 'tool:pay',
  requestHash: 'x',
  takeover: 0,
  scheduledAt: 1,
  journal: null,
  at: AT,
});
