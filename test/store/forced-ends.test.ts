import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createForcedRunsEnder } from '../../src/api/end-forced-runs.ts';
import type { Engine } from '../../src/api/engine.ts';
import { findForcedEnds } from '../../src/api/forced-ends.ts';
import type { ForcedEnd, Span } from '../../src/api/forced-ends.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openEmbeddedStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { fromWorkflowId, toWorkflowId } from '../../src/workflows/contract.ts';
import type { RunReference } from '../../src/workflows/contract.ts';
import { AT, LATER, aBatch, aNewRun, endRun, writeTo } from '../support/store-builders.ts';

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore(new PGlite());
  await store.graphs.keepDefinition('h1', {});
});
afterAll(async () => await store.close());

const timedOut: ForcedEnd = { kind: 'timed-out', executionRunId: 'e1', at: LATER };

const nobody = async (): Promise<never> => await Promise.reject(new Error('not asked'));

/** A Temporal that says of one run how it ended. @param spans are told what was asked for */
function endingOf(id: string, end: ForcedEnd | null, spans: Span[] = []): Engine {
  async function* found(span: Span): AsyncIterable<RunReference> {
    spans.push(span);
    yield await Promise.resolve({ tenantId: 'acme', id });
  }
  return {
    start: nobody,
    send: nobody,
    decide: nobody,
    outcome: nobody,
    view: nobody,
    ping: nobody,
    forcedEnds: found,
    forcedEnd: async () => await Promise.resolve(end),
  };
}

const sweep = async (engine: Engine): Promise<void> =>
  await createForcedRunsEnder()({ store, engine, logger: createLogger('silent') });

async function aHandedOverRun(id: string): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  await store.handOvers.claim(id, AT, LATER);
  await store.handOvers.complete({ id, execution: 1 }, AT);
}

test('a run whose workflow timed out has failed, once', async () => {
  await aHandedOverRun('T');
  await writeTo(store, { id: 'T' }, aBatch([1, 2]));
  await sweep(endingOf('T', timedOut));
  await sweep(endingOf('T', timedOut));
  expect(await store.runs.find('T')).toMatchObject({
    status: 'failed',
    lastSeq: 3,
    view: { error: { code: 'TIMEOUT' }, endedAt: LATER },
  });
  expect((await store.journal.events('T', 2, 10)).map(({ seq, type }) => [seq, type])).toEqual([[3, 'run.failed']]);
});

test('what a run says after that changes nothing: it is ended again', async () => {
  await aHandedOverRun('L');
  await writeTo(store, { id: 'L' }, aBatch([1]));
  await sweep(endingOf('L', timedOut));
  await writeTo(store, { id: 'L' }, aBatch([2, 3]));
  expect(await store.runs.find('L')).toMatchObject({ status: 'running' });
  await sweep(endingOf('L', timedOut));
  expect(await store.runs.find('L')).toMatchObject({ status: 'failed', lastSeq: 4 });
});

test('a run that has said nothing yet has failed, too', async () => {
  await aHandedOverRun('N');
  await sweep(endingOf('N', timedOut));
  expect(await store.runs.find('N')).toMatchObject({ status: 'failed', lastSeq: 1 });
});

test('a run that goes on in another execution is left alone', async () => {
  await aHandedOverRun('A');
  await sweep(endingOf('A', null));
  expect(await store.runs.find('A')).toMatchObject({ status: 'queued' });
});

test('so is one whose next execution Temporal does not have yet', async () => {
  await store.runs.create(aNewRun({ id: 'B' }));
  await sweep(endingOf('B', timedOut));
  expect(await store.runs.find('B')).toMatchObject({ status: 'queued' });
});

test('so is one that has ended by itself', async () => {
  await aHandedOverRun('C');
  await endRun(store, { id: 'C' });
  const before = await store.runs.find('C');
  await sweep(endingOf('C', timedOut));
  expect(await store.runs.find('C')).toEqual(before);
});

test('a run of another tenant is not ended', async () => {
  await store.runs.create(aNewRun({ id: 'X', tenantId: 'other' }));
  await store.handOvers.claim('X', AT, LATER);
  await store.handOvers.complete({ id: 'X', execution: 1 }, AT);
  await sweep(endingOf('X', timedOut));
  expect(await store.runs.find('X')).toMatchObject({ status: 'queued' });
});

test('the first look is at everything, later ones only go back a little', async () => {
  const spans: Span[] = [];
  const end = createForcedRunsEnder();
  const deps = { store, engine: endingOf('none', null, spans), logger: createLogger('silent') };
  await end(deps);
  await end(deps);
  expect(spans.map(({ after }) => after)).toEqual([null, expect.any(String)]);
  expect(Date.parse(spans[1]?.after ?? '')).toBeLessThan(Date.parse(spans[0]?.before ?? ''));
});

test('all pages of what visibility knows are read, and what is no run is left out', async () => {
  const pages = [['run:acme:a', 'bench-1'], ['run:acme:b']];
  const asked: string[] = [];
  const list = findForcedEnds(
    async ({ query, nextPageToken }) => {
      asked.push(query);
      const page = nextPageToken[0] ?? 0;
      const executions = (pages[page] ?? []).map((workflowId) => ({ execution: { workflowId } }));
      const next = page + 1 < pages.length ? Uint8Array.of(page + 1) : new Uint8Array();
      return await Promise.resolve({ executions, nextPageToken: next });
    },
    { after: AT, before: LATER },
  );
  const found: RunReference[] = [];
  for await (const run of list) found.push(run);
  expect(found.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(asked).toEqual(pages.map(() => expect.stringContaining(`CloseTime < '${LATER}' AND CloseTime >= '${AT}'`)));
});

test.each([
  { tenantId: 'acme', id: 'r1' },
  { tenantId: 'a:b', id: 'r-2' },
])('a workflow id names its run: %o', (run) => {
  expect(fromWorkflowId(toWorkflowId(run))).toEqual(run);
});

test('other workflow ids name none', () => {
  expect(['bench', 'run:', 'run:acme', 'run::x'].map(fromWorkflowId)).toEqual([null, null, null, null]);
});
