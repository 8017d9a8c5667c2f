import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstBeginning } from '../../../../src/api/runs/dispatch-run.ts';
import { listCheckpoints, findState } from '../../../../src/api/runs/read-state.ts';
import type { Store } from '../../../../src/store/store.ts';
import { ADMIN } from '../../../support/builders/callers.ts';
import { aBatch, aCheckpoint, aNewRun, writeTo } from '../../../support/builders/store-builders.ts';
import { openMemoryStore } from '../../../support/servers/memory-database.ts';

/* A run whose third checkpoint is stored and whose second one is not yet: no state may skip the second one. */

const RUN = 'R';
const notNow = { code: 'UNAVAILABLE', message: `A checkpoint of run ${RUN} is being written` };

let store: Store;
const write = async (n: number): Promise<void> =>
  await writeTo(store, { id: RUN }, aBatch([n], { checkpoints: [aCheckpoint(RUN, n)] }));
beforeAll(async () => {
  store = await openMemoryStore();
  await store.runs.create(aNewRun({ id: RUN }));
  await write(1);
  await write(3);
});
afterAll(async () => await store.close());

test('while a checkpoint of a run is missing, the run’s state is that of the checkpoint before it', async () => {
  expect(await findState(store, RUN, null)).toMatchObject({ checkpoint: { id: `${RUN}.c1` }, channels: { x: 1 } });
  await expect(findState(store, RUN, `${RUN}.c3`)).rejects.toMatchObject(notNow);
  expect(await findState(store, RUN, `${RUN}.c4`)).toBeNull();
});

test('the next run of a thread waits for missing checkpoints of the last one', async () => {
  const next = { begin: { kind: 'input', input: {} } } as const;
  await expect(firstBeginning(store, next, RUN)).rejects.toMatchObject(notNow);
});

test('the list of checkpoints contains only those whose predecessors are all written', async () => {
  const listed = async () => (await listCheckpoints(store, ADMIN, [RUN], { limit: 10 })).items.map(({ id }) => id);
  expect(await listed()).toEqual([`${RUN}.c1`]);
  await write(2);
  expect(await listed()).toEqual([`${RUN}.c3`, `${RUN}.c2`, `${RUN}.c1`]);
  expect(await findState(store, RUN, null)).toMatchObject({ checkpoint: { id: `${RUN}.c3` }, channels: { x: 3 } });
});
