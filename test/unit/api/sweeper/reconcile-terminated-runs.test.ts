import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../../../src/api/temporal/engine.ts';
import type { WorkflowEnd, TimeSpan } from '../../../../src/api/temporal/workflow-end.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import type { NewRun } from '../../../../src/store/accept-run.ts';
import { fromWorkflowId, toWorkflowId } from '../../../../src/workflows/contract.ts';
import type { RunReference } from '../../../../src/workflows/contract.ts';
import { AT, LATER, aBatch, aNewRun, endRun, writeTo } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';
import { createTerminatedRunsReconciler } from '../../../../src/api/sweeper/reconcile-terminated-runs.ts';
import { findAbortedRuns } from '../../../../src/api/temporal/workflow-end.ts';

const store = await useMemoryStore();

afterEach(() => void vi.restoreAllMocks());

const timedOut: WorkflowEnd = { kind: 'timed-out', executionRunId: 'e1', at: LATER };
const logger = createLogger('silent');
const going = new AbortController().signal;

interface Told {
  /** The runs that are found within a span of time. */
  readonly found?: (span: TimeSpan) => readonly string[];
  readonly end?: (id: string) => WorkflowEnd | null;
}

/** An engine that reports which runs of `acme` have ended and how; by default, the named one by a timeout. */
function endingOf(id: string, { found = () => [id], end = () => timedOut }: Told = {}): Engine {
  async function* abortedRuns(span: TimeSpan): AsyncIterable<RunReference> {
    for (const one of await Promise.resolve(found(span))) yield { tenantId: 'acme', id: one };
  }
  const workflowEnd = async (run: RunReference): Promise<WorkflowEnd | null> => await Promise.resolve(end(run.id));
  return anAbsentEngine({ abortedRuns: abortedRuns, workflowEnd });
}

const sweep = async (engine: Engine): Promise<void> =>
  await createTerminatedRunsReconciler()({ store, engine, logger }, going);

async function aDispatchedRun(id: string, over: Partial<NewRun> = {}): Promise<void> {
  await store.runs.create(aNewRun({ id, ...over }));
  await store.pendingStarts.claim(id, AT, LATER);
  await store.pendingStarts.complete({ id, execution: 1 }, AT);
}

const statusOf = async (id: string): Promise<string | undefined> => (await store.runs.find(id))?.status;
const eventsOf = async (id: string) =>
  (await store.journal.events(id, 0, 100)).map(({ seq, type }) => (type === 'run.failed' ? `${seq} failed` : seq));

describe('a run whose workflow was terminated', () => {
  test('a run whose workflow failed without writing its end is recorded as failed', async () => {
    await aDispatchedRun('T-failed');
    await sweep(endingOf('T-failed', { end: () => ({ ...timedOut, kind: 'failed' }) }));
    expect(await statusOf('T-failed')).toBe('failed');
  });

  test('a run whose workflow was terminated is recorded as failed once', async () => {
    await aDispatchedRun('T');
    await writeTo(store, { id: 'T' }, aBatch([1, 2]));
    await sweep(endingOf('T'));
    await sweep(endingOf('T'));
    const ended = { status: 'failed', lastSeq: 3, view: { error: { code: 'TIMEOUT' }, endedAt: LATER } };
    expect(await store.runs.find('T')).toMatchObject(ended);
    expect(await eventsOf('T')).toEqual([1, 2, '3 failed']);
  });

  test('a terminated run without any event is recorded as failed', async () => {
    await aDispatchedRun('N');
    await sweep(endingOf('N'));
    expect(await eventsOf('N')).toEqual(['1 failed']);
  });

  test('a terminated run is recorded as failed again after late entries, at once or within an hour', async () => {
    await aDispatchedRun('L');
    await writeTo(store, { id: 'L' }, aBatch([1]));
    const end = createTerminatedRunsReconciler();
    const found = ({ after }: TimeSpan) => (after === null || after <= LATER ? ['L'] : []);
    const lookAfter = async (minutes: number): Promise<void> => {
      vi.spyOn(Date, 'now').mockReturnValue(Date.parse(LATER) + minutes * 60_000);
      await end({ store, engine: endingOf('L', { found }), logger }, going);
    };
    await lookAfter(1);
    await writeTo(store, { id: 'L' }, aBatch([3, 4]));
    expect(await statusOf('L')).toBe('running');
    await lookAfter(2);
    expect(await statusOf('L')).toBe('failed');
    await lookAfter(20);
    await writeTo(store, { id: 'L' }, aBatch([6, 7]));
    await lookAfter(30);
    expect(await statusOf('L')).toBe('running');
    await lookAfter(62);
    expect(await statusOf('L')).toBe('failed');
    expect(await eventsOf('L')).toEqual([1, '2 failed', 3, 4, '5 failed', 6, 7, '8 failed']);
  });

  test('late journal entries do not replace the end of a run', async () => {
    await aDispatchedRun('P');
    await writeTo(store, { id: 'P' }, aBatch([1]));
    await sweep(endingOf('P'));
    await expect(writeTo(store, { id: 'P' }, aBatch([2, 3]))).rejects.toThrow('events_say_one_thing');
    expect([await statusOf('P'), await eventsOf('P')]).toEqual(['failed', [1, '2 failed']]);
  });
});

describe('a quarantined run', () => {
  const quarantined: WorkflowEnd = {
    kind: 'quarantined',
    executionRunId: 'e1',
    at: LATER,
    message: 'Why',
    cancel: null,
  };

  test('a quarantined run that is terminated fails with INTERNAL, without waiting for late writes', async () => {
    await aDispatchedRun('A-now');
    const at = new Date().toISOString();
    await sweep(endingOf('A-now', { end: () => ({ ...quarantined, at }) }));
    expect(await store.runs.find('A-now')).toMatchObject({
      status: 'failed',
      view: { error: { code: 'INTERNAL', message: 'Why' }, endedAt: at },
    });
  });

  test('a quarantined run that is terminated is canceled if a cancel was requested', async () => {
    await aDispatchedRun('A-canceled');
    const cancel = { signalId: 'd1', by: 'bob', reason: null };
    await sweep(endingOf('A-canceled', { end: () => ({ ...quarantined, cancel }) }));
    expect(await store.runs.find('A-canceled')).toMatchObject({
      status: 'canceled',
      view: { error: { code: 'INTERNAL', message: 'Why' }, endedAt: LATER },
    });
    expect(await store.journal.events('A-canceled', 0, 10)).toMatchObject([{ type: 'run.canceled', by: 'bob' }]);
  });
});

describe('runs that the sweep does not end', () => {
  test('the sweep of terminated workflows does not end a run that continues in another workflow execution', async () => {
    await aDispatchedRun('A');
    await sweep(endingOf('A', { end: () => null }));
    expect(await statusOf('A')).toBe('queued');
  });

  test('the sweep of terminated workflows does not end a run that has ended by itself', async () => {
    await aDispatchedRun('C');
    await endRun(store, { id: 'C' });
    const before = await store.runs.find('C');
    await sweep(endingOf('C'));
    expect(await store.runs.find('C')).toEqual(before);
  });

  test('the sweep of terminated workflows does not end a run of another tenant', async () => {
    await aDispatchedRun('X', { tenantId: 'other' });
    await sweep(endingOf('X'));
    expect(await statusOf('X')).toBe('queued');
  });
});

describe('runs that the sweep checks again', () => {
  test('the sweep of terminated workflows checks a run again whose dispatch was not recorded yet', async () => {
    await store.runs.create(aNewRun({ id: 'B' }));
    const end = createTerminatedRunsReconciler();
    await end({ store, engine: endingOf('B'), logger }, going);
    expect(await statusOf('B')).toBe('queued');
    await store.pendingStarts.claim('B', AT, LATER);
    await store.pendingStarts.complete({ id: 'B', execution: 1 }, AT);
    await end({ store, engine: endingOf('B', { found: () => [] }), logger }, going);
    expect(await statusOf('B')).toBe('failed');
  });

  test('the sweep of terminated workflows checks a run again that ended just now and may still write', async () => {
    await aDispatchedRun('M');
    const moment: WorkflowEnd = { ...timedOut, at: new Date().toISOString() };
    const end = createTerminatedRunsReconciler();
    await end({ store, engine: endingOf('M', { end: () => moment }), logger }, going);
    expect(await statusOf('M')).toBe('queued');
    await end({ store, engine: endingOf('M', { found: () => [] }), logger }, going);
    expect(await statusOf('M')).toBe('failed');
  });

  test('the sweep of terminated workflows checks a run again that could not be reconciled', async () => {
    await aDispatchedRun('P1');
    await aDispatchedRun('P2');
    const end = createTerminatedRunsReconciler();
    const broken = (id: string): WorkflowEnd => {
      if (id === 'P1') throw new Error('away');
      return timedOut;
    };
    const found = () => ['P1', 'P2'];
    await end({ store, engine: endingOf('P1', { found, end: broken }), logger }, going);
    expect([await statusOf('P1'), await statusOf('P2')]).toEqual(['queued', 'failed']);
    await end({ store, engine: endingOf('P1', { found: () => [] }), logger }, going);
    expect(await statusOf('P1')).toBe('failed');
  });
});

test('sweeps read all terminated workflows until one succeeds; later sweeps overlap slightly', async () => {
  const spans: TimeSpan[] = [];
  const end = createTerminatedRunsReconciler();
  const found = (span: TimeSpan): readonly string[] => {
    spans.push(span);
    if (spans.length === 1) throw new Error('away');
    return [];
  };
  const look = async (): Promise<void> => await end({ store, engine: endingOf('', { found }), logger }, going);
  await expect(look()).rejects.toThrow('away');
  await look();
  await look();
  expect(spans.map(({ after }) => after)).toEqual([null, null, expect.any(String)]);
  expect(Date.parse(spans[2]?.after ?? '')).toBeLessThan(Date.parse(spans[1]?.before ?? ''));
});

test('a stopping sweeper process leaves the remaining runs to other processes', async () => {
  await aDispatchedRun('S');
  await createTerminatedRunsReconciler()({ store, engine: endingOf('S'), logger }, AbortSignal.abort());
  expect(await statusOf('S')).toBe('queued');
});

test('all pages of terminated workflows are read, without workflows that are no runs', async () => {
  const pages = [['run:acme:a', 'bench-1'], ['run:acme:b']];
  const asked: string[] = [];
  const list = findAbortedRuns(
    async (query, nextPageToken) => {
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
])('the workflow id of a run determines its tenant and id: %o', (run) => {
  expect(fromWorkflowId(toWorkflowId(run))).toEqual(run);
});

test('a workflow id that is not of a run determines no run', () => {
  expect(['bench', 'run:', 'run:acme', 'run::x'].map(fromWorkflowId)).toEqual([null, null, null, null]);
});
