import { expect, test } from 'vitest';
import { unavailable } from '../../../../src/api/http/errors.ts';
import { syncSchedules } from '../../../../src/api/sweeper/tend-schedules.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

test('a schedule is sent to Temporal although sending other schedules fails', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const id of ids) await store.schedules.create(aSchedule(id), 10);
  const sent: string[] = [];
  const absent = anAbsentEngine();
  const put = async ({ id }: { readonly id: string }): Promise<void> => {
    if (id !== 'f') throw unavailable('Temporal');
    sent.push(id);
    await Promise.resolve();
  };
  await syncSchedules({
    store,
    engine: { ...absent, schedules: { ...absent.schedules, put } },
    logger: createLogger('silent'),
  });
  expect(sent).toEqual(['f']);
});
