import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../../../src/api/temporal/engine.ts';
import type { FailingTask } from '../../../../src/api/temporal/open-workflow.ts';
import type { Quarantine } from '../../../../src/api/temporal/workflow-end.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import type { TaskFailureCause } from '../../../../src/store/failing-runs.ts';
import { AT, LATER, aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';
import {
  activeRunsByPage,
  createQuarantineBrake,
  createPoisonedRunsChore,
  runsWithNotedFailure,
} from '../../../../src/api/sweeper/quarantine-runs.ts';

const store = await useMemoryStore();

/** Ends the runs of earlier tests, so that no chore finds them. */
beforeEach(async () => {
  for (const { id } of await store.failingRuns.active('', 1_000)) await endRun(store, { id }, 100);
});

const logger = createLogger('silent');
const going = new AbortController().signal;
const BAD_CODE: TaskFailureCause = { by: 'code', reason: 'Bad code', proofs: 2 };
const LONG_AGO = Date.now() - 60_000;

const aTask = (over: Partial<FailingTask> = {}): FailingTask => ({
  executionRunId: 'e1',
  failures: 2,
  since: LONG_AGO,
  last: { kind: 'failed', message: 'of a worker' },
  ...over,
});

/** An engine with failing tasks that records which runs are quarantined. */
function failing(tasks: Readonly<Record<string, FailingTask>>): Engine & { readonly asked: string[] } {
  const quarantined = new Map<string, Quarantine>();
  const asked: string[] = [];
  return {
    ...anAbsentEngine({
      async failingTask({ id }) {
        asked.push(id);
        return await Promise.resolve(quarantined.has(id) ? null : (tasks[id] ?? null));
      },
      async quarantine({ id }, how) {
        if (quarantined.has(id)) return await Promise.resolve(false);
        quarantined.set(id, how);
        return true;
      },
      async workflowEnd({ id }) {
        const how = quarantined.get(id);
        return await Promise.resolve(how ? { kind: 'quarantined', executionRunId: 'e1', at: LATER, ...how } : null);
      },
    }),
    asked,
  };
}

async function aRun(id: string, note?: TaskFailureCause): Promise<void> {
  await store.runs.create(aNewRun({ id }));
  await store.pendingStarts.claim(id, AT, LATER);
  await store.pendingStarts.complete({ id, execution: 1 }, AT);
  if (note) await store.failingRuns.note(id, { executionRunId: 'e1', ...note });
}

const sweep = async (engine: Engine, stopping = going): Promise<void> => {
  const brake = createQuarantineBrake();
  await createPoisonedRunsChore(runsWithNotedFailure, brake)({ store, engine, logger }, stopping);
  await createPoisonedRunsChore(activeRunsByPage(), brake)({ store, engine, logger }, stopping);
};
const statusOf = async (id: string): Promise<string | undefined> => (await store.runs.find(id))?.status;

interface Case {
  readonly what: string;
  readonly id: string;
  /** The cause in the worker's note; without one there is no note. */
  readonly note?: TaskFailureCause;
  readonly task: Partial<FailingTask>;
}

describe('a run with failing workflow tasks is quarantined', () => {
  test.each<Case & { readonly message: string }>([
    {
      what: 'whose code has failed its task twice',
      id: 'P-code',
      note: BAD_CODE,
      task: {},
      message: 'failed 2 times: Bad code',
    },
    {
      what: 'whose commands Temporal refuses',
      id: 'P-refused',
      note: { by: 'temporal' },
      task: { last: { kind: 'refused', message: 'Too many' } },
      message: 'failed 2 times: Too many',
    },
    {
      what: 'whose code has ended two exclusive workflow processes',
      id: 'P-alone',
      note: BAD_CODE,
      task: { failures: 1, last: { kind: 'timed-out' } },
      message: 'failed 2 times: Bad code',
    },
  ])('a run is quarantined $what', async ({ id, note, task, message }) => {
    await aRun(id, note);
    const engine = failing({ [id]: aTask(task) });
    await Promise.all([sweep(engine), sweep(engine)]);
    expect(await store.runs.find(id)).toMatchObject({
      status: 'failed',
      view: { endedAt: LATER, error: { code: 'INTERNAL', message: expect.stringContaining(message) } },
    });
    expect(await store.journal.events(id, 0, 10)).toMatchObject([{ seq: 1, type: 'run.failed' }]);
  });
});

describe('a run with failing workflow tasks is not quarantined', () => {
  test.each<Case>([
    { what: 'whose code has failed its task once', id: 'L-once', note: { ...BAD_CODE, proofs: 1 }, task: {} },
    {
      what: 'whose code has failed its task once, and whose workers were lost then',
      id: 'L-once-lost',
      note: { ...BAD_CODE, proofs: 1 },
      task: { failures: 90, last: { kind: 'timed-out' } },
    },
    {
      what: 'whose commands Temporal has refused once',
      id: 'L-refused',
      task: { failures: 1, last: { kind: 'refused', message: 'Too many' } },
    },
    {
      what: 'that has failed its task in the last seconds',
      id: 'L-young',
      note: BAD_CODE,
      task: { since: Date.now() },
    },
    { what: 'whose task its workers can not execute', id: 'L-worker', task: { failures: 9 } },
    {
      what: 'for whose task Temporal gave no answer',
      id: 'L-temporal',
      note: { by: 'temporal' },
      task: { failures: 9 },
    },
    { what: 'that has lost any number of workers', id: 'L-lost', task: { failures: 90, last: { kind: 'timed-out' } } },
    {
      what: 'whose workers are overloaded',
      id: 'L-queue',
      note: { by: 'queue' },
      task: { failures: 90, last: { kind: 'timed-out' } },
    },
    {
      what: 'whose workflow process is killed repeatedly by something else',
      id: 'L-machine',
      note: { by: 'machine' },
      task: { failures: 90, last: { kind: 'failed', message: 'it was ended by SIGKILL' } },
    },
    {
      what: 'whose earlier execution has failed',
      id: 'L-earlier',
      note: BAD_CODE,
      task: { executionRunId: 'e2', failures: 9 },
    },
  ])('a run is not quarantined $what', async ({ id, note, task }) => {
    await aRun(id, note);
    await sweep(failing({ [id]: aTask(task) }));
    expect(await statusOf(id)).toBe('queued');
  });

  test('a recovered run is not quarantined, and its recorded task failure is deleted', async () => {
    await aRun('L-well', BAD_CODE);
    await sweep(failing({}));
    expect([await statusOf('L-well'), await store.failingRuns.find('L-well')]).toEqual(['queued', null]);
  });

  test('a run is not quarantined when the process stops', async () => {
    await aRun('L-stop', BAD_CODE);
    await sweep(failing({ 'L-stop': aTask() }), AbortSignal.abort());
    expect(await statusOf('L-stop')).toBe('queued');
  });
});

test('an error while one run is checked for quarantine does not affect other runs', async () => {
  await aRun('E1', BAD_CODE);
  await aRun('E2', BAD_CODE);
  const engine = failing({ E2: aTask() });
  const failingTask: Engine['failingTask'] = async (run) =>
    await (run.id === 'E1' ? Promise.reject(new Error('away')) : engine.failingTask(run));
  await sweep({ ...engine, failingTask });
  expect([await statusOf('E1'), await statusOf('E2')]).toEqual(['queued', 'failed']);
});

test('if many runs fail at once, twenty are quarantined, and the remaining ones after a quiet minute', async () => {
  const ids = Array.from({ length: 45 }, (_, n) => `M-${n}`);
  for (const id of ids) await aRun(id, BAD_CODE);
  const error = vi.spyOn(logger, 'error');
  const brake = createQuarantineBrake();
  const chores = [
    createPoisonedRunsChore(runsWithNotedFailure, brake),
    createPoisonedRunsChore(activeRunsByPage(), brake),
  ];
  const tasks = Object.fromEntries(ids.map((id) => [id, aTask()]));
  const engine = failing(tasks);
  const now = Date.now();
  const quarantineInMinute = async (minute: number): Promise<number> => {
    vi.spyOn(Date, 'now').mockReturnValue(now + minute * 60_000);
    for (const chore of chores) await chore({ store, engine, logger }, going);
    return (await Promise.all(ids.map(statusOf))).filter((status) => status === 'failed').length;
  };
  expect([await quarantineInMinute(0), await quarantineInMinute(1)]).toEqual([20, 20]);
  expect(error).toHaveBeenCalledTimes(2);
  for (const id of ids.slice(0, 40)) delete tasks[id];
  expect([await quarantineInMinute(2), await quarantineInMinute(3)]).toEqual([20, 25]);
  vi.restoreAllMocks();
});

test('active runs are checked for failing tasks in turns, a hundred at a time', async () => {
  const ids = Array.from({ length: 130 }, (_, n) => `T-${String(n).padStart(3, '0')}`);
  for (const id of ids) await aRun(id);
  const engine = failing({});
  const chore = createPoisonedRunsChore(activeRunsByPage(), createQuarantineBrake());
  const turn = async (): Promise<string[]> => {
    engine.asked.length = 0;
    await chore({ store, engine, logger }, going);
    return engine.asked.toSorted();
  };
  expect(await turn()).toEqual(ids.slice(0, 100));
  expect(await turn()).toEqual(ids.slice(100));
  expect(await turn()).toEqual(ids.slice(0, 100));
});
