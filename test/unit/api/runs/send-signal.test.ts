import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendSignal } from '../../../../src/api/runs/send-signal.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import type { Store } from '../../../../src/store/store.ts';
import { AT, LATER, aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { openMemoryStore } from '../../../support/servers/memory-database.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { interpretHere } from '../../../support/doubles/interpret-here.ts';

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(async () => await store.close());

test('a signal to a run that has just ended is refused once the store has the end', async () => {
  await store.runs.create(aNewRun({ id: 'E' }));
  await store.pendingStarts.claim('E', AT, LATER);
  await store.pendingStarts.complete({ id: 'E', execution: 1 }, AT);
  const run = await store.runs.find('E');
  if (!run) throw new Error('The run is not there');
  let lastWrite: Promise<void> | undefined;
  const decide = async (): Promise<null> => {
    setImmediate(() => void (lastWrite = endRun(store, { id: 'E' })));
    return await Promise.resolve(null);
  };
  const caller = { sub: 'bob', tenantId: 'acme', roles: ['approver'], permissions: new Set<never>() };
  const signal = { name: 'approve', attempt: { id: 'd1', isRepetition: false }, payload: {} };
  const deps = {
    store,
    interpreter: interpretHere(aCatalog()),
    engine: anAbsentEngine({ decide }),
    logger: createLogger('silent'),
  };
  await expect(sendSignal(deps, caller, { run, signal })).resolves.toMatchObject({
    taken: false,
    refusal: { code: 'NOT_ALLOWED_NOW', message: `The run is failed since ${AT}` },
  });
  await lastWrite;
});
