import { expect, test } from 'vitest';
import { unavailable } from '../../../../src/api/http/errors.ts';
import { syncSchedules } from '../../../../src/api/sweeper/start-queued-runs.ts';
import { toApiSettings } from '../../../../src/config/api-settings.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

test('schedules that cannot be sent to Temporal do not delay others', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const id of ids) await store.schedules.create(aSchedule(id), 10);
  const sent: string[] = [];
  const absent = anAbsentEngine();
  const put = async ({ scheduleId }: { readonly scheduleId: string }): Promise<void> => {
    if (scheduleId !== 'f') throw unavailable('Temporal');
    sent.push(scheduleId);
    await Promise.resolve();
  };
  await syncSchedules({
    store,
    engine: { ...absent, schedules: { ...absent.schedules, put } },
    catalog: aCatalog(),
    graphJobs: graphJobsHere(aCatalog()),
    settings: toApiSettings(parseConfig('the test', {}), {}),
    logger: createLogger('silent'),
  });
  expect(sent).toEqual(['f']);
});
