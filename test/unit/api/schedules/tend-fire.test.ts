import { beforeEach, describe, expect, test } from 'vitest';
import { unavailable } from '../../../../src/api/http/errors.ts';
import { tendFires } from '../../../../src/api/sweeper/start-queued-runs.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import type { FireKind, Schedule } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';
import { aNewRun } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { fireDeps } from '../../../support/doubles/fire-deps.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

/* The sweeper's handling of fires. The graph of the schedules is unknown, so that fires without a run fail. */

const store = await useMemoryStore();
const absent = anAbsentEngine();
/** The workflows that received the signal that the run has ended. */
let ended: string[] = [];
let isAway = false;
/** Temporal may still start the workflow of a fire. */
let mayFire = false;
/** The signals that were sent to runs. */
let sent: unknown[] = [];

beforeEach(() => {
  [ended, sent, isAway, mayFire] = [[], [], false, false];
});

const engine = anAbsentEngine({
  signalResult: async () => await Promise.resolve(null),
  signalAndAsk: async (run, signal, payload) => {
    sent.push([run.id, signal, payload]);
    return await Promise.resolve({ id: payload.signalId, taken: true, value: null });
  },
  schedules: {
    ...absent.schedules,
    endFire: async (workflowId) => {
      if (isAway) throw unavailable('Temporal');
      ended.push(workflowId);
      await Promise.resolve();
    },
    mayFire: async () => await Promise.resolve(mayFire),
  },
});

const AT = '2026-01-01T01:00:00.000Z';

type Over = Partial<Pick<Schedule, 'overlap' | 'roles'>>;

async function firing(id: string, over: Over = {}) {
  const schedule = { ...aSchedule(id), ...over };
  const fire = { tenantId: 'acme', scheduleId: id, at: AT, workflowId: `fire:${id}` };
  await store.schedules.create(schedule, 100);
  const find = async () => await store.scheduleFires.find(fire);
  const open = async () => await store.scheduleFires.open(fire, `run-${id}`);
  const request = async (kind: FireKind) =>
    await store.scheduleFires.request(schedule, [{ at: AT, kind, runId: `run-${id}` }]);
  return { schedule, fire, find, open, request };
}

const tend = async (config: ConfigInput = {}): Promise<void> => await tendFires({ ...fireDeps(store, config), engine });

/** Makes the run of a fire an active one. */
async function goingOn(id: string): Promise<void> {
  await store.runs.create(aNewRun({ id: `run-${id}` }));
  await store.pendingStarts.complete({ id: `run-${id}`, execution: 1 }, AT);
}

describe('the workflow of a fire', () => {
  test('the workflow of a fire ends once the fire is refused', async () => {
    const { find, open } = await firing('refused');
    expect(await open()).toBe(true);
    await tend();
    expect(await find()).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_GRAPH', isOpen: true });
    await tend();
    expect([await find(), ended]).toMatchObject([{ isOpen: false }, ['fire:refused']]);
  });

  test('the workflow of a fire waits while the run is active', async () => {
    const { find, open } = await firing('running');
    await goingOn('running');
    await open();
    await tend();
    await tend();
    expect([await find(), ended]).toMatchObject([{ outcome: 'started', isOpen: true }, []]);
  });

  test('the workflow of a fire ends with its schedule, whose row is kept until then', async () => {
    const { schedule, open, find } = await firing('removed');
    await goingOn('removed');
    await open();
    await tend();
    await store.schedules.remove(schedule);
    await store.schedules.forget(schedule);
    expect(await find()).not.toBeNull();
    await tend();
    await store.schedules.forget(schedule);
    expect([await find(), ended]).toEqual([null, ['fire:removed']]);
  });

  test('the workflow of a fire is signaled again after Temporal was unavailable', async () => {
    const { fire, find, open } = await firing('away');
    await open();
    await tend();
    isAway = true;
    await tend();
    expect(await find()).toMatchObject({ isOpen: true });
    isAway = false;
    await store.scheduleFires.postpone(fire, AT);
    await tend();
    expect([await find(), ended]).toMatchObject([{ isOpen: false }, ['fire:away']]);
  });
});

describe('a run that Temporal wants to be canceled', () => {
  const canceled = async (id: string, over: Over, config?: ConfigInput) => {
    const { open, fire } = await firing(id, over);
    await goingOn(id);
    await open();
    await tend();
    await store.scheduleFires.requestCancel(fire);
    await tend(config);
    return sent;
  };

  test('the run is canceled by a signal as the owner of the schedule', async () => {
    expect(await canceled('replaced', { overlap: 'cancelOther' })).toMatchObject([
      ['run-replaced', 'cancel', { signalId: 'run-replaced.overlap', by: { sub: 'uma' }, reason: expect.anything() }],
    ]);
  });

  test('the run continues when its owner has lost the permission to cancel runs', async () => {
    const config = { roles: { starter: ['run:start' as const] } };
    expect(await canceled('demoted', { overlap: 'cancelOther', roles: ['starter'] }, config)).toEqual([]);
  });

  test('the run continues when the quota does not allow another run', async () => {
    const config = { tenants: { acme: { runsPerMinute: 0 } } };
    expect(await canceled('last', { overlap: 'cancelOther' }, config)).toEqual([]);
  });
});

describe('a requested fire that Temporal has not started', () => {
  const requested = async (id: string) => {
    const made = await firing(id);
    await made.request('trigger');
    await tend();
    expect(await made.find()).toMatchObject({ outcome: 'pending' });
    await store.scheduleFires.postpone(made.fire, AT);
    return made;
  };

  test('a requested fire waits while Temporal may still start it', async () => {
    const { find } = await requested('buffered');
    mayFire = true;
    await tend();
    expect(await find()).toMatchObject({ outcome: 'pending' });
  });

  test('a requested fire is skipped if Temporal has skipped it, and decided if its workflow starts later', async () => {
    const { find, open } = await requested('skipped');
    await tend();
    expect(await find()).toMatchObject({ kind: 'trigger', outcome: 'skipped', code: 'OVERLAP' });
    expect(await open()).toBe(true);
    expect(await find()).toMatchObject({ kind: 'trigger', outcome: 'pending', code: null, runId: 'run-skipped' });
  });
});
