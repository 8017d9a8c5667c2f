import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { storeChecks } from '../../../src/testing/store-checks.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

test.each(storeChecks)('the PostgreSQL store passes the conformance check "$name"', async ({ check }) => {
  await expect(check(store)).resolves.toBeUndefined();
});

/** What goes wrong in a store, and the check that finds it. */
const FAULTS: readonly [string, Partial<Store>][] = [
  ['a run is accepted once', { runs: { ...store.runs, list: async () => ({ items: [], next: null }) } }],
  [
    'one process at a time dispatches a run',
    {
      pendingStarts: {
        ...store.pendingStarts,
        claim: async (id, now) => await store.pendingStarts.claim(id, now, now),
      },
    },
  ],
  ['a thread has one active run', { runs: { ...store.runs, create: async () => 'accepted' } }],
  ['a batch of a journal that is written again', { journal: { ...store.journal, events: async () => [] } }],
  ['a batch that says something else', { journal: { ...store.journal, write: async () => undefined } }],
  ['batches come in any order', { journal: { ...store.journal, write: async () => undefined } }],
  [
    'of claims to make a call at the same moment',
    { ledger: { ...store.ledger, claim: async () => ({ failures: 0, before: null }) } },
  ],
  ['an attempt that has lost its claim', { ledger: { ...store.ledger, complete: async () => true } }],
  [
    'requests with one idempotency key',
    { idempotency: { ...store.idempotency, admit: async () => ({ kind: 'in-progress' }) } },
  ],
  [
    'versions of a graph',
    {
      graphs: {
        ...store.graphs,
        publish: async (graph) => {
          const published = await store.graphs.publish(graph);
          return { ...published, graph: { ...published.graph, version: 1 } };
        },
      },
    },
  ],
  [
    'all of JSON comes back',
    {
      runs: {
        ...store.runs,
        async find(id) {
          const run = await store.runs.find(id);
          return run && { ...run, input: { ...run.input, z: 'ab' } };
        },
      },
    },
  ],
];

test.each(FAULTS)('a store that breaks the conformance check "%s" is reported', async (name, fault) => {
  const found = storeChecks.find((one) => one.name.startsWith(name));
  await expect(found?.check({ ...store, ...fault })).rejects.toThrow(/./);
});
