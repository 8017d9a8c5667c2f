import { describe, expect, test, vi } from 'vitest';
import { unavailable } from '../../../../src/api/http/errors.ts';
import { sendSignal } from '../../../../src/api/runs/send-signal.ts';
import type { Engine } from '../../../../src/api/temporal/engine.ts';
import type { FailingTask } from '../../../../src/api/temporal/open-workflow.ts';
import type { Quarantine } from '../../../../src/api/temporal/workflow-end.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import type { RunRecord } from '../../../../src/store/runs.ts';
import { AT, LATER, aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';

const store = await useMemoryStore();

const logger = createLogger('silent');
const caller = { sub: 'bob', tenantId: 'acme', roles: ['approver'], permissions: new Set<never>() };

async function aDispatchedRun(id: string): Promise<RunRecord> {
  await store.runs.create(aNewRun({ id }));
  await store.pendingStarts.claim(id, AT, LATER);
  await store.pendingStarts.complete({ id, execution: 1 }, AT);
  return await runOf(id);
}

async function runOf(id: string): Promise<RunRecord> {
  const run = await store.runs.find(id);
  if (!run) throw new Error('The run is not there');
  return run;
}

test('a signal to a run that has just ended is refused once the store has the end', async () => {
  const run = await aDispatchedRun('E');
  let lastWrite: Promise<void> | undefined;
  const signalAndAsk = async (): Promise<null> => {
    setImmediate(() => void (lastWrite = endRun(store, { id: 'E' })));
    return await Promise.resolve(null);
  };
  const signal = { name: 'approve', attempt: { id: 'd1', isRepetition: false }, payload: {} };
  const deps = { store, graphJobs: graphJobsHere(aCatalog()), engine: anAbsentEngine({ signalAndAsk }), logger };
  await expect(sendSignal(deps, caller, run, signal)).resolves.toMatchObject({
    taken: false,
    refusal: { code: 'NOT_ALLOWED_NOW', message: `The run is failed since ${AT}` },
  });
  await lastWrite;
});

describe('a run whose workers do not answer', () => {
  const aTask = (over: Partial<FailingTask>): FailingTask => ({
    executionRunId: 'e1',
    failures: 1,
    since: Date.now(),
    last: { kind: 'failed', message: 'of a worker' },
    ...over,
  });

  /** An engine whose workers do not answer. */
  function silent(task: FailingTask | null): Engine {
    let quarantined: Quarantine | null = null;
    const noAnswer = async (): Promise<never> => await Promise.reject(unavailable('A worker of this run'));
    return anAbsentEngine({
      signalAndAsk: noAnswer,
      signalResult: noAnswer,
      failingTask: async () => await Promise.resolve(task),
      async quarantine(_run, how) {
        quarantined = how;
        return await Promise.resolve(true);
      },
      workflowEnd: async () =>
        await Promise.resolve(quarantined && { kind: 'quarantined', executionRunId: 'e1', at: LATER, ...quarantined }),
    });
  }

  const send = async (engine: Engine, id: string, { name = 'cancel', isRepetition = false } = {}) =>
    await sendSignal({ store, graphJobs: graphJobsHere(aCatalog()), engine, logger }, caller, await runOf(id), {
      name,
      attempt: { id: 'd1', isRepetition },
      payload: { reason: 'why not' },
    });

  test.each<{ what: string; id: string; reason?: string; task: Partial<FailingTask> }>([
    { what: 'has failed its task', id: 'C-code', reason: 'Bad code', task: {} },
    { what: 'has ended three workers', id: 'C-lost', task: { failures: 3, last: { kind: 'timed-out' } } },
    { what: 'can not be executed by its workers', id: 'C-worker', task: { failures: 3 } },
  ])('a cancel is done without the workers if the run $what', async ({ id, reason, task }) => {
    await aDispatchedRun(id);
    if (reason !== undefined) await store.failingRuns.note(id, { executionRunId: 'e1', by: 'code', reason, proofs: 1 });
    const engine = silent(aTask(task));
    await expect(send(engine, id, { name: 'pause' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const taken = { id: 'd1', taken: true, value: null };
    expect(await send(engine, id)).toEqual(taken);
    const error = { code: 'INTERNAL', message: expect.stringContaining(reason ?? 'failed 3 times') };
    expect(await runOf(id)).toMatchObject({ status: 'canceled', view: { error } });
    expect(await send(engine, id, { isRepetition: true })).toEqual(taken);
    expect((await store.journal.events(id, 0, 10)).map(({ type }) => type)).toEqual(['run.canceled']);
  });

  test('the log names who has canceled a run that is ended without its workers, but not the reason', async () => {
    await aDispatchedRun('C-log');
    const warn = vi.spyOn(logger, 'warn');
    await send(silent(aTask({ failures: 3 })), 'C-log');
    const cancel = { by: 'bob', signalId: 'd1' };
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ run: 'C-log', cancel }), 'a run was put aside');
    expect(JSON.stringify(warn.mock.calls)).not.toContain('why not');
    warn.mockRestore();
  });

  test.each([
    ['waits for a worker', 'W-wait', null],
    ['has lost a worker', 'W-lost', aTask({ last: { kind: 'timed-out' } })],
    ['has a worker without a database', 'W-away', aTask({ failures: 2 })],
  ])('a cancel stays pending if the run %s', async (_, id, task) => {
    await aDispatchedRun(id);
    await expect(send(silent(task), id)).rejects.toMatchObject({ code: 'UNAVAILABLE', mayTakeEffect: true });
    expect((await runOf(id)).status).toBe('queued');
  });
});
