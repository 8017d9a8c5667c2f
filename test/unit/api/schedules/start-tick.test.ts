import { expect, test } from 'vitest';
import { startTick } from '../../../../src/api/schedules/take-turn.ts';
import type { TickKind } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { aNewRun } from '../../../support/builders/store-builders.ts';
import { turnDeps } from '../../../support/doubles/turn-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const CLOSED = { tenants: { acme: { runsPerMinute: 0 } } };

const start = async (kind: TickKind) =>
  await startTick(turnDeps(store, CLOSED), aSchedule('hourly'), {
    at: '2026-01-01T01:00:00.000Z',
    kind,
    runId: 'R1',
  });

test('a time is left out while the quota of its tenant is used up', async () => {
  expect(await start('time')).toMatchObject({
    outcome: 'skipped',
    code: 'QUOTA_REACHED',
  });
});

test.each<TickKind>(['trigger', 'backfill'])('a %s waits until the quota of its tenant lets it start', async (kind) => {
  expect(await start(kind)).toBeNull();
});

test('a time whose run was accepted has started it, also if its tenant may start no more', async () => {
  await store.runs.create(aNewRun({ id: 'R1' }));
  expect(await start('time')).toEqual({ outcome: 'started' });
});
