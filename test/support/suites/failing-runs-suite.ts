import { expect, test } from 'vitest';
import type { TaskFailureCause } from '../../../src/store/failing-runs.ts';
import type { Store } from '../../../src/store/store.ts';
import { AT, LATER, aBatch, aNewRun, endRun } from '../builders/store-builders.ts';

/** Requirements on a store for runs with failing workflow tasks. @param store one that contains the definition `h1` */
export function failingRunsSuite(store: () => Store): void {
  const dispatch = async (id: string): Promise<void> => {
    await store().runs.create(aNewRun({ id }));
    await store().pendingStarts.claim(id, AT, LATER);
    await store().pendingStarts.complete({ id, execution: 1 }, AT);
  };
  const noted = async (prefix: string) =>
    (await store().failingRuns.list(1_000)).filter(({ id }) => id.startsWith(prefix)).map(({ id }) => id);

  test('a failed task is recorded until it is removed', async () => {
    await dispatch('F-a');
    expect(await store().failingRuns.find('F-a')).toBeNull();
    await store().failingRuns.note('F-a', { executionRunId: 'e1', by: 'code', reason: 'odd \0 text', proofs: 1 });
    const failure = { executionRunId: 'e1', by: 'code', reason: 'odd \uFFFD text', proofs: 1 };
    expect(await store().failingRuns.find('F-a')).toEqual(failure);
    expect(await store().failingRuns.list(1_000)).toContainEqual({ id: 'F-a', tenantId: 'acme', failure });
    await store().failingRuns.forget('F-a', 'e0');
    expect(await noted('F-a')).toEqual(['F-a']);
    await store().failingRuns.forget('F-a', 'e1');
    expect(await noted('F-a')).toEqual([]);
  });

  test('only a record about the code replaces one of the same execution, and adds its evidence', async () => {
    await dispatch('F-b');
    const note = async (executionRunId: string, cause: TaskFailureCause) => {
      await store().failingRuns.note('F-b', { executionRunId, ...cause });
      return await store().failingRuns.find('F-b');
    };
    const aFailure = (reason: string, proofs: number): TaskFailureCause => ({ by: 'code', reason, proofs });
    const first = aFailure('first', 1);
    expect(await note('e1', { by: 'queue' })).toEqual({ executionRunId: 'e1', by: 'queue' });
    expect(await note('e1', first)).toEqual({ executionRunId: 'e1', ...first });
    expect(await note('e1', { by: 'temporal' })).toEqual({ executionRunId: 'e1', ...first });
    expect(await note('e1', aFailure('second', 2))).toEqual({ executionRunId: 'e1', ...aFailure('second', 3) });
    expect(await note('e2', { by: 'temporal' })).toEqual({ executionRunId: 'e2', by: 'temporal' });
    expect(await note('e2', first)).toEqual({ executionRunId: 'e2', ...first });
    expect(await note('e3', first)).toEqual({ executionRunId: 'e3', ...first });
    await store().failingRuns.forget('F-b', 'e3');
    expect(await note('e3', first)).toEqual({ executionRunId: 'e3', ...first });
  });

  test('an ended run is neither recorded nor listed', async () => {
    await dispatch('F-c');
    await store().failingRuns.note('F-c', { executionRunId: 'e1', by: 'code', reason: 'before', proofs: 1 });
    await endRun(store(), { id: 'F-c' });
    await store().failingRuns.note('F-c', { executionRunId: 'e1', by: 'code', reason: 'after', proofs: 1 });
    expect(await noted('F-c')).toEqual([]);
    expect(await store().failingRuns.find('F-c')).toMatchObject({ reason: 'before' });
  });

  test('active runs are those that Temporal has and that have not ended, page by page', async () => {
    for (const id of ['G-1', 'G-2', 'G-3']) await dispatch(id);
    await store().runs.create(aNewRun({ id: 'G-4' }));
    await endRun(store(), { id: 'G-2' });
    const page = async (after: string, limit: number) =>
      (await store().failingRuns.active(after, limit)).map(({ id }) => id).filter((id) => id.startsWith('G-'));
    expect(await page('G-', 1)).toEqual(['G-1']);
    expect(await page('G-1', 1)).toEqual(['G-3']);
    expect(await page('G-', 1_000)).toEqual(['G-1', 'G-3']);
    await store().failingRuns.note('G-3', { executionRunId: 'e1', by: 'queue' });
    const failure = { executionRunId: 'e1', by: 'queue' };
    expect(await store().failingRuns.active('G-2', 1)).toEqual([{ id: 'G-3', tenantId: 'acme', failure }]);
  });

  test('a run whose journal progresses is not listed', async () => {
    for (const id of ['H-1', 'H-2']) await dispatch(id);
    await store().journal.write(aBatch([1]), { runId: 'H-1', tenantId: 'acme', executionRunId: 'e1' });
    expect((await store().failingRuns.active('H-', 1)).map(({ id }) => id)).toEqual(['H-2']);
  });
}
