import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LOST_FOR_MS, MOST_LOST, createLostRunsChore } from '../../../../src/api/sweeper/end-lost-runs.ts';
import type { Engine } from '../../../../src/api/temporal/engine.ts';
import type { WorkflowEnd } from '../../../../src/api/temporal/workflow-end.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { AT, LATER, aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

/** Ends the runs of earlier tests, so that no chore finds them. */
beforeEach(async () => {
  for (const { id } of await store.failingRuns.active('', 1_000)) await endRun(store, { id }, 100);
});
afterEach(() => void vi.restoreAllMocks());

const logger = createLogger('silent');
const going = new AbortController().signal;
const missing: WorkflowEnd = { kind: 'missing', executionRunId: '', at: LATER };

async function aRun(id: string): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  await store.pendingStarts.claim(id, AT, LATER);
  await store.pendingStarts.complete({ id, execution: 1 }, AT);
}

/** An engine that reports how the workflows of some runs have ended; the other ones are open. */
function ending(ends: Readonly<Record<string, WorkflowEnd | Error>>): Engine {
  return anAbsentEngine({
    async workflowEnd({ id }) {
      const end = ends[id] ?? null;
      return await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
    },
  });
}

const errorOf = async (id: string): Promise<unknown> => (await store.runs.find(id))?.view?.error;
const statusOf = async (id: string): Promise<string | undefined> => (await store.runs.find(id))?.status;

/** Adds runs whose workflows exist, so that Temporal is recognized as the right one. */
async function otherRuns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await aRun(`other-${randomUUID()}`);
}

/** Checks twice, with the time between after which a run counts as lost. */
async function lookTwice(first: Engine, second = first): Promise<void> {
  const chore = createLostRunsChore();
  await chore({ store, engine: first, logger }, going);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + LOST_FOR_MS);
  await chore({ store, engine: second, logger }, going);
}

test.each<[string, WorkflowEnd, string]>([
  ['was deleted', missing, 'Temporal has no workflow of the run'],
  [
    'has ended without writing to the store',
    { ...missing, kind: 'ended', as: 'completed' },
    'The workflow has completed',
  ],
  [
    'was reset by an operator',
    { ...missing, kind: 'contradicted', message: 'The journal has other events' },
    'other events',
  ],
])('a run whose workflow %s fails, once the loss is confirmed', async (_, end, message) => {
  const id = `E-${end.kind}`;
  await aRun(id);
  await otherRuns(1);
  await createLostRunsChore()({ store, engine: ending({ [id]: end }), logger }, going);
  expect(await statusOf(id)).toBe('queued');
  await lookTwice(ending({ [id]: end }));
  expect(await errorOf(id)).toEqual({ code: 'ABORTED', message: expect.stringContaining(message) });
});

test('a run whose workflow was found again, or is unknown because of an error, continues', async () => {
  await aRun('B');
  await otherRuns(2);
  await aRun('N');
  const silent = new Error('no answer');
  await lookTwice(ending({ B: missing, N: silent }), ending({ N: silent }));
  expect([await statusOf('B'), await statusOf('N')]).toEqual(['queued', 'queued']);
});

describe('many lost workflows', () => {
  const lostRuns = async (what: string, count: number): Promise<Record<string, WorkflowEnd>> => {
    const ids = Array.from({ length: count }, (_, n) => `${what}-${n}`);
    for (const id of ids) await aRun(id);
    return Object.fromEntries(ids.map((id) => [id, missing]));
  };

  test('many runs whose workflows are missing in one check are not ended', async () => {
    const lost = await lostRuns('M', MOST_LOST + 1);
    await otherRuns(30);
    const error = vi.spyOn(logger, 'error');
    await lookTwice(ending(lost));
    expect(error).toHaveBeenCalledWith(
      { lost: 21, missing: 21, there: 30 },
      expect.stringContaining('Temporal lacks the workflows'),
    );
    const { 'M-0': _found, ...fewer } = lost;
    expect(await statusOf('M-1')).toBe('queued');
    vi.restoreAllMocks();
    await lookTwice(ending(fewer));
    expect([await statusOf('M-0'), await statusOf('M-1')]).toEqual(['queued', 'failed']);
  });

  test.each([
    ['in several pages', 115, 0],
    ['and too few others exist', 3, 2],
    ['and no others exist', 1, 0],
  ])('no run is ended if many workflows are missing %s', async (what, count, others) => {
    const lost = await lostRuns(what, count);
    await otherRuns(others);
    const chore = createLostRunsChore();
    const now = Date.now();
    for (let look = 0; look < 6; look++) {
      vi.spyOn(Date, 'now').mockReturnValue(now + look * LOST_FOR_MS);
      await chore({ store, engine: ending(lost), logger }, going);
    }
    expect(new Set(await Promise.all(Object.keys(lost).map(statusOf)))).toEqual(new Set(['queued']));
  });
});

test('a run whose workflow has been missing for a minute is ended after a pass over all runs', async () => {
  await aRun('A-first');
  await otherRuns(120);
  const chore = createLostRunsChore();
  const engine = ending({ 'A-first': missing });
  await chore({ store, engine, logger }, going);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + LOST_FOR_MS);
  expect(await statusOf('A-first')).toBe('queued');
  await chore({ store, engine, logger }, going);
  expect(await statusOf('A-first')).toBe('failed');
});

test('a lost run that cannot be ended does not prevent the end of other lost runs', async () => {
  const ids = ['W-1', 'W-2', 'W-3'];
  for (const id of ids) await aRun(id);
  await otherRuns(3);
  const write = store.journal.write.bind(store.journal);
  vi.spyOn(store.journal, 'write').mockImplementation(async (batch, writer) =>
    writer.runId === 'W-1' ? await Promise.reject(new Error('contradicted')) : await write(batch, writer),
  );
  const warn = vi.spyOn(logger, 'warn');
  await lookTwice(ending(Object.fromEntries(ids.map((id) => [id, missing]))));
  expect(await Promise.all(ids.map(statusOf))).toEqual(['queued', 'failed', 'failed']);
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ run: 'W-1' }), expect.stringContaining('tried again'));
});
