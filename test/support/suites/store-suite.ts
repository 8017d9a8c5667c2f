import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import type { RunFilter } from '../../../src/store/runs.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  AT,
  LATER,
  aBatch,
  aCheckpoint,
  anApproval,
  aNewRun,
  anOccurrence,
  aView,
} from '../builders/store-builders.ts';
import { changesSuite } from './changes-suite.ts';
import { deltasSuite } from './deltas-suite.ts';
import { checkpointsSuite } from './checkpoints-suite.ts';
import type { OpenedStore } from './checkpoints-suite.ts';
import { failingRunsSuite } from './failing-runs-suite.ts';
import { ledgerSuite } from './ledger-suite.ts';
import { pagesSuite } from './pages-suite.ts';
import { threadQueueSuite } from './thread-queue-suite.ts';
import { NOTHING_REDACTED } from '../../../src/graph/redaction/redaction.ts';

/** Requirements on every store, whatever its database. */
export function storeSuite(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore;
    const store = (): Store => opened.store;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened.store.close();
      await opened.tables.destroy();
    });

    graphsSuite(store);
    runsSuite(store);
    journalSuite(store);
    ledgerSuite(store);
    blobsSuite(store);
    idempotencySuite(store);
    threadQueueSuite(store);
    failingRunsSuite(store);
    changesSuite(store);
    deltasSuite(store);
    pagesSuite(store);
    checkpointsSuite(() => opened);
  });
}

function graphsSuite(store: () => Store): void {
  const graph = { tenantId: 'acme', name: 'refund', warnings: [], pins: {}, createdAt: AT, createdBy: 'ann' };

  test('publishing the same content again returns its version', async () => {
    const first = await store().graphs.publish({ ...graph, hash: 'h1', definition: { name: 'refund', n: 1 } });
    const second = await store().graphs.publish({ ...graph, hash: 'h2', definition: { name: 'refund', n: 2 } });
    const again = await store().graphs.publish({ ...graph, hash: 'h1', definition: { name: 'refund', n: 1 } });
    expect([first.outcome, first.replaced, first.graph.version]).toEqual(['created', null, 1]);
    expect([second.outcome, second.replaced, second.graph.version]).toEqual(['created', 1, 2]);
    expect([again.outcome, again.replaced, again.graph.version]).toEqual(['restored', 2, 1]);
  });

  test('a graph is found by name in the version published last, by number in any, never for another tenant', async () => {
    expect((await store().graphs.find('acme', 'refund'))?.definition).toEqual({ name: 'refund', n: 1 });
    expect((await store().graphs.find('acme', 'refund', 2))?.definition).toEqual({ name: 'refund', n: 2 });
    expect(await store().graphs.find('other', 'refund')).toBeNull();
  });

  test('after its current version is unpublished, a name means the version published before it', async () => {
    const named = { ...graph, name: 'taken-back' };
    const publish = async (n: number) =>
      await store().graphs.publish({ ...named, hash: `taken-back-${n}`, definition: { n } });
    for (const n of [1, 2, 3, 1]) await publish(n);
    const current = async () => (await store().graphs.find('acme', 'taken-back'))?.version;
    const unpublish = async (version: number) =>
      await store().graphVersions.unpublish({ tenantId: 'acme', name: 'taken-back', version }, 'ann', AT);
    expect(await current()).toBe(1);
    await unpublish(1);
    expect(await current()).toBe(3);
    const { items } = await store().graphVersions.list('acme', 'taken-back', { limit: 10 });
    expect(items.map(({ version, current: is }) => [version, is])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
    expect(await publish(1)).toMatchObject({ outcome: 'restored', replaced: 3, graph: { version: 1, current: true } });
    for (const version of [1, 2, 3]) await unpublish(version);
    expect(await current()).toBeUndefined();
  });

  test('a configuration whose graph has not changed since it last published it leaves the name as callers set it', async () => {
    const publish = async (n: number, source?: 'configuration') => {
      const made = { ...graph, name: 'configured', hash: `configured-${n}`, definition: { n } };
      const { outcome, replaced } = await store().graphs.publish(made, source);
      return [outcome, replaced];
    };
    expect(await publish(1, 'configuration')).toEqual(['created', null]);
    expect(await publish(2)).toEqual(['created', 1]);
    expect(await publish(1, 'configuration')).toEqual(['unchanged', null]);
    expect((await store().graphs.find('acme', 'configured'))?.version).toBe(2);
    expect(await publish(3, 'configuration')).toEqual(['created', 2]);
    expect(await publish(1, 'configuration')).toEqual(['restored', 3]);
    expect((await store().graphs.find('acme', 'configured'))?.version).toBe(1);
  });

  test('publications at the same moment get different versions', async () => {
    const publish = (n: number) =>
      store().graphs.publish({ ...graph, name: 'race', hash: `race-${n}`, definition: { n } });
    const published = await Promise.all([1, 2, 3, 4, 5].map(publish));
    expect(published.map(({ graph: { version } }) => version).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });

  test('a definition keeps what JSON can hold: NUL, lone surrogates, the order of keys', async () => {
    const definition = { z: 'a\u0000b', a: '\ud800', nested: { y: 1, b: [null] } };
    await store().graphs.publish({ ...graph, name: 'odd', hash: 'odd', definition });
    expect(JSON.stringify((await store().graphs.find('acme', 'odd'))?.definition)).toBe(JSON.stringify(definition));
  });

  test('the list of graphs has the current version of each name, page by page', async () => {
    const first = await store().graphs.list('acme', { limit: 3 });
    const rest = await store().graphs.list('acme', { limit: 3, after: first.next ?? undefined });
    expect([...first.items, ...rest.items].map(({ name, version }) => `${name}@${version}`)).toEqual([
      'configured@1',
      'odd@1',
      'race@5',
      'refund@1',
    ]);
    expect(rest.next).toBeNull();
    expect(rest.items).toEqual([
      { name: 'refund', version: 1, hash: 'h1', createdAt: AT, createdBy: 'ann', unpublished: null, current: true },
    ]);
  });
}

function runsSuite(store: () => Store): void {
  test('a run is accepted once, and its start is pending', async () => {
    await store().runs.create(aNewRun({ id: 'R-once', createdAt: '2026-01-01T00:00:00.000Z' }));
    await store().runs.create(aNewRun({ id: 'R-once', createdBy: 'somebody else' }));
    const run = await store().runs.find('R-once');
    expect(run).toMatchObject({
      createdBy: 'ann',
      status: 'queued',
      dispatch: { kind: 'pending', problem: null },
      view: null,
    });
    const { pendingStarts } = store();
    expect(await pendingStarts.due(AT, 10)).toEqual(['R-once']);
    const first = {
      reopening: null,
      predecessorId: null,
      execution: 1,
      queuedSignals: [],
      redaction: NOTHING_REDACTED,
    };
    const claimed = { id: 'R-once', start: { some: 'input' }, ...first };
    expect(await pendingStarts.claim('R-once', AT, LATER)).toEqual(claimed);
    expect([await pendingStarts.claim('R-once', AT, LATER), await pendingStarts.due(AT, 10)]).toEqual([null, []]);
    expect(await pendingStarts.claim('R-once', LATER, LATER)).toEqual(claimed);
    await pendingStarts.complete({ id: 'R-once', execution: 1 }, AT);
    expect(await pendingStarts.claim('R-once', LATER, LATER)).toBeNull();
  });

  test('a run that is accepted with a claim is dispatched by its creator, or later by another process', async () => {
    expect(await store().runs.create(aNewRun({ id: 'R-claimed', createdAt: AT }), LATER)).toBe('claimed');
    expect(await store().runs.create(aNewRun({ id: 'R-claimed', createdAt: AT }), LATER)).toBe('accepted');
    const { pendingStarts } = store();
    expect(await pendingStarts.claim('R-claimed', AT, LATER)).toBeNull();
    expect(await pendingStarts.claim('R-claimed', LATER, LATER)).toMatchObject({ id: 'R-claimed', execution: 1 });
  });

  test('a run of a thread is not claimed, because it may have to wait', async () => {
    const run = aNewRun({ id: 'R-on-thread', tenantId: 'claims', threadId: 't1', createdAt: AT });
    expect(await store().runs.create(run, LATER)).toBe('accepted');
    expect(await store().pendingStarts.claim('R-on-thread', AT, LATER)).toMatchObject({ id: 'R-on-thread' });
  });

  test('runs are listed newest first, without repeat or gap over pages', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `R-list-${n}`);
    for (const [n, id] of ids.entries())
      await store().runs.create(
        aNewRun({ id, tenantId: 'lists', createdAt: new Date(Date.parse(AT) + Math.floor(n / 2)).toISOString() }),
      );
    const seen: string[] = [];
    let after: { at: string; id: string } | undefined;
    do {
      const page = await store().runs.list('lists', {}, { limit: 3, after });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after);
    expect(seen).toEqual([...ids].reverse());
  });

  test('filters narrow the list', async () => {
    await store().runs.create(aNewRun({ id: 'R-thread', tenantId: 'filters', threadId: 't1' }));
    await store().runs.create(
      aNewRun({ id: 'R-graph', tenantId: 'filters', graph: { name: 'other', version: 1, hash: 'h1' } }),
    );
    const ids = async (filter: RunFilter) =>
      (await store().runs.list('filters', filter, { limit: 9 })).items.map(({ id }) => id);
    expect(await ids({ threadId: 't1' })).toEqual(['R-thread']);
    expect(await ids({ graph: 'other' })).toEqual(['R-graph']);
    expect(await ids({ status: ['failed'] })).toEqual([]);
    expect(await ids({ createdAfter: AT })).toEqual([]);
  });
}

function journalSuite(store: () => Store): void {
  const write = async (runId: string, batch: JournalBatch) =>
    await store().journal.write(batch, { runId, tenantId: 'acme', executionRunId: 'e1' });
  const seqsOf = async (runId: string) => (await store().journal.events(runId, 0, 100)).map(({ seq }) => seq);

  test('a batch written twice is stored once', async () => {
    await store().runs.create(aNewRun({ id: 'J-twice' }));
    await write('J-twice', aBatch([1, 2]));
    await write('J-twice', aBatch([1, 2]));
    expect(await seqsOf('J-twice')).toEqual([1, 2]);
  });

  test('batches may come in any order, and readers see no gap', async () => {
    await store().runs.create(aNewRun({ id: 'J-order' }));
    await write('J-order', aBatch([3, 4], { view: aView({ status: 'completed', endedAt: AT, step: 9 }) }));
    expect(await seqsOf('J-order')).toEqual([]);
    await write('J-order', aBatch([1, 2], { view: aView({ step: 1 }) }));
    expect(await seqsOf('J-order')).toEqual([1, 2, 3, 4]);
    const run = await store().runs.find('J-order');
    expect([run?.status, run?.view?.step, run?.view?.endedAt]).toEqual(['completed', 9, AT]);
  });

  test('occurrences are stored once and read in order', async () => {
    const occurrences = [
      anOccurrence(1),
      { kind: 'signal', name: 'event', payload: { text: '\u0000' }, number: 2, seq: 1, at: 5 },
      anOccurrence(3),
    ] as const;
    const [first, ...later] = occurrences;
    await store().runs.create(aNewRun({ id: 'J-happened' }));
    await write('J-happened', aBatch([2, 3], { occurrences: later }));
    await write('J-happened', aBatch([1], { occurrences: [first] }));
    await write('J-happened', aBatch([1, 2, 3], { occurrences }));
    expect(await store().journal.occurrences('J-happened')).toEqual(occurrences);
  });

  test('the state at a checkpoint is the fold of the checkpoints up to it', async () => {
    await store().runs.create(aNewRun({ id: 'J-chain' }));
    await write('J-chain', aBatch([1, 2, 3], { checkpoints: [1, 2, 3].map((n) => aCheckpoint('J-chain', n)) }));
    const { checkpoints } = store();
    const newest = await checkpoints.at('J-chain', null);
    expect([newest?.checkpoint.id, newest?.channels, newest?.resumePoint.visits]).toEqual([
      'J-chain.c3',
      { x: 3 },
      { a: 3 },
    ]);
    expect((await checkpoints.at('J-chain', 'J-chain.c2'))?.channels).toEqual({ x: 2 });
    expect(await checkpoints.at('J-chain', 'nope')).toBeNull();
    expect((await checkpoints.list(['J-chain'], { limit: 2 })).items.map(({ id }) => id)).toEqual([
      'J-chain.c3',
      'J-chain.c2',
    ]);
  });

  test('an approval row follows the newest event', async () => {
    await store().runs.create(aNewRun({ id: 'J-ask' }));
    await write('J-ask', aBatch([5], { approvals: [anApproval('J-ask', 'approved')] }));
    await write('J-ask', aBatch([2], { approvals: [anApproval('J-ask', 'pending')] }));
    expect((await store().approvals.find('J-ask.a1'))?.approval.status).toBe('approved');
    expect(
      (await store().approvals.list('acme', { status: ['approved'], runId: 'J-ask' }, { limit: 5 })).items,
    ).toHaveLength(1);
    expect((await store().approvals.list('other', {}, { limit: 5 })).items).toHaveLength(0);
  });
}

function blobsSuite(store: () => Store): void {
  const aBlob = (id: string, bytes: readonly number[]) => ({
    id,
    workflowId: 'run:acme:R1',
    metadata: { encoding: 'eA==' },
    data: Uint8Array.from(bytes),
  });

  test('blobs are returned unchanged, in the requested order', async () => {
    await store().blobs.put([aBlob('B1', [0, 255, 10]), aBlob('B2', [])]);
    await store().blobs.put([aBlob('B1', [0, 255, 10])]);
    const [second, first] = await store().blobs.get(['B2', 'B1']);
    expect([[...(first?.data ?? [])], [...(second?.data ?? [])], first?.metadata]).toEqual([
      [0, 255, 10],
      [],
      { encoding: 'eA==' },
    ]);
  });

  test('an error names a missing blob', async () => {
    await expect(store().blobs.get(['B0'])).rejects.toThrow('B0');
  });
}

function idempotencySuite(store: () => Store): void {
  const request = (key: string, over: object = {}) => ({
    tenantId: 'acme',
    subject: 'ann',
    route: 'POST /api/runs',
    key,
    fingerprint: 'f',
    resourceId: `id-${key}`,
    at: AT,
    leaseUntil: '2026-01-02T03:05:00.000Z',
    ...over,
  });

  test('an answer is repeated for the same request only', async () => {
    expect(await store().idempotency.admit(request('k1'))).toEqual({ kind: 'proceed', resourceId: 'id-k1' });
    expect(await store().idempotency.admit(request('k1'))).toEqual({ kind: 'in-progress' });
    await store().idempotency.keep(request('k1'), { status: 201, headers: { location: '/x' }, body: { id: 1 } });
    expect(await store().idempotency.admit(request('k1'))).toEqual({
      kind: 'replay',
      answer: { status: 201, headers: { location: '/x' }, body: { id: 1 } },
    });
    expect(await store().idempotency.admit(request('k1', { fingerprint: 'g' }))).toEqual({ kind: 'reused' });
    expect((await store().idempotency.admit(request('k1', { subject: 'bob' }))).kind).toBe('proceed');
  });

  test('an unfinished request may begin again, for the same resource', async () => {
    await store().idempotency.admit(request('k2'));
    const later = request('k2', { at: '2026-01-02T03:06:00.000Z', resourceId: 'another' });
    expect(await store().idempotency.admit(later)).toEqual({ kind: 'proceed', resourceId: 'id-k2' });
  });

  test('a request with a renewed claim does not begin again', async () => {
    await store().idempotency.admit(request('k4'));
    await store().idempotency.lease(request('k4'), '2026-01-02T03:10:00.000Z');
    expect(await store().idempotency.admit(request('k4', { at: '2026-01-02T03:06:00.000Z' }))).toEqual({
      kind: 'in-progress',
    });
  });

  test('a released request may begin again at once, for the same resource', async () => {
    await store().idempotency.admit(request('k5'));
    await store().idempotency.lease(request('k5'), AT);
    expect(await store().idempotency.admit(request('k5', { resourceId: 'another' }))).toEqual({
      kind: 'proceed',
      resourceId: 'id-k5',
    });
  });

  test('a deleted request leaves no row', async () => {
    await store().idempotency.admit(request('k3'));
    await store().idempotency.forget(request('k3'));
    expect((await store().idempotency.admit(request('k3', { fingerprint: 'g' }))).kind).toBe('proceed');
  });
}
