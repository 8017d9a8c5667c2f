import { unavailable } from '../../../src/api/http/errors.ts';
import type { Engine } from '../../../src/api/temporal/engine.ts';
import { anAbsentEngine } from './absent-engine.ts';

/** A Temporal server with all schedules. It starts no workflow, and records its requests. */
export interface FakeTemporal {
  readonly engine: Engine;
  isAway: boolean;
  hasSchedules: boolean;
  /** True if Temporal runs or buffers each fire. */
  mayFire: boolean;
  /** The times of each schedule. */
  times: readonly string[];
  /** The most times that it returns for a request. */
  mostTimes: number;
  /** Called when a schedule is triggered. */
  onTrigger: (at: string) => Promise<void>;
  readonly triggered: string[];
  readonly backfilled: string[];
  /** The times of the fires whose workflows were ended. */
  readonly ended: string[];
  /** The ids of the runs that were sent a cancel, once for each time. */
  readonly canceled: string[];
}

export function aFakeTemporal(): FakeTemporal {
  const asked = async <T>(answer: () => T): Promise<T> => {
    if (fake.isAway) throw unavailable('Temporal');
    return await Promise.resolve(answer());
  };
  const absent = anAbsentEngine();
  const engine = anAbsentEngine({
    signalResult: async () => await asked(() => null),
    signalAndAsk: async (run, _, { signalId }) =>
      await asked(() => {
        fake.canceled.push(run.id);
        return { id: signalId, taken: true, value: null };
      }),
    schedules: {
      ...absent.schedules,
      put: async () => await asked(() => undefined),
      remove: async () => await asked(() => undefined),
      nextTimes: async () => await asked(() => []),
      timesBetween: async (_, from, to) =>
        await asked(() =>
          fake.hasSchedules ? fake.times.filter((at) => at > from && at <= to).slice(0, fake.mostTimes) : null,
        ),
      trigger: async (_, at) => {
        const isSent = await asked(() => fake.hasSchedules || null);
        fake.triggered.push(at);
        await fake.onTrigger(at);
        return isSent;
      },
      backfill: async (_, times) =>
        await asked(() => {
          fake.backfilled.push(...times);
          return fake.hasSchedules || null;
        }),
      mayFire: async () => await asked(() => fake.mayFire),
      endFire: async (_, at) => await asked(() => void fake.ended.push(at)),
    },
  });
  const fake: FakeTemporal = {
    engine,
    isAway: false,
    hasSchedules: true,
    mayFire: false,
    times: [],
    mostTimes: 1_000,
    onTrigger: async () => await Promise.resolve(),
    triggered: [],
    backfilled: [],
    ended: [],
    canceled: [],
  };
  return fake;
}
