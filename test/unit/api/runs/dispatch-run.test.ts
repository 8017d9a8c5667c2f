import { expect, test, vi } from 'vitest';
import { acceptAndDispatch, dispatchRun } from '../../../../src/api/runs/dispatch-run.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { LATER, aNewRun } from '../../../support/builders/store-builders.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { interpretHere } from '../../../support/doubles/interpret-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const depsOf = () => ({
  store,
  engine: anAbsentEngine({}),
  interpreter: interpretHere(aCatalog()),
  logger: createLogger('silent'),
});
const isDispatched = async (id: string) => (await store.runs.find(id))?.isDispatched;

test('a run whose start cannot be read is not noted as dispatched', async () => {
  await store.runs.create(aNewRun({ id: 'U', start: {} }));
  await dispatchRun(depsOf(), 'U');
  expect(await isDispatched('U')).toBe(false);
  expect(await store.pendingStarts.due('2099-01-01T00:00:00.000Z', 1_000)).toContain('U');
});

test('nor is one that has just been accepted', async () => {
  const confirmed = vi.spyOn(store.changes, 'subscribe');
  expect(await acceptAndDispatch(depsOf(), aNewRun({ id: 'V', start: {}, createdAt: LATER }))).toBe('accepted');
  expect(confirmed).not.toHaveBeenCalled();
  expect(await isDispatched('V')).toBe(false);
});
