import { unavailable } from '../../../src/api/http/errors.ts';
import type { Engine } from '../../../src/api/temporal/engine.ts';
import type { FireState, TriggerRequest } from '../../../src/api/temporal/timed-schedules.ts';
import { anAbsentEngine } from './absent-engine.ts';

/** A Temporal server with all schedules. It starts no workflow, and records its requests. */
export interface FakeTemporal {
  readonly engine: Engine;
  isAway: boolean;
  /** True if it answers no request for next times until its deadline. */
  isSilent: boolean;
  hasSchedules: boolean;
  /** What Temporal shows of each fire. */
  state: FireState;
  /** The times of each schedule. */
  times: readonly string[];
  /** The most times that it returns for a request. */
  mostTimes: number;
  /** Called when a schedule is triggered. */
  onTrigger: (at: string) => Promise<void>;
  /** Called before a run receives its cancel. */
  onCancel: (runId: string) => Promise<void>;
  readonly triggered: string[];
  /** The requests for triggers, in the order of `triggered`. */
  readonly requests: TriggerRequest[];
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
    send: async (run) => {
      await fake.onCancel(run.id);
      return await asked(() => fake.canceled.push(run.id) > 0);
    },
    failingTask: async () => await asked(() => null),
    schedules: {
      ...absent.schedules,
      put: async () => await asked(() => undefined),
      remove: async () => await asked(() => undefined),
      nextTimes: async (_, withinMs) => {
        if (fake.isSilent) await new Promise((resolve) => setTimeout(resolve, withinMs));
        if (fake.isSilent) throw unavailable('Temporal');
        return await asked(() => []);
      },
      timesBetween: async (_, from, to) =>
        await asked(() =>
          fake.hasSchedules ? fake.times.filter((at) => at > from && at <= to).slice(0, fake.mostTimes) : null,
        ),
      trigger: async (_, at, request) => {
        fake.requests.push(request);
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
      fireState: async () => await asked(() => fake.state),
      endFire: async (_, at) => await asked(() => void fake.ended.push(at)),
    },
  });
  const fake: FakeTemporal = {
    engine,
    isAway: false,
    isSilent: false,
    hasSchedules: true,
    state: 'absent',
    times: [],
    mostTimes: 1_000,
    onTrigger: async () => await Promise.resolve(),
    onCancel: async () => await Promise.resolve(),
    triggered: [],
    requests: [],
    backfilled: [],
    ended: [],
    canceled: [],
  };
  return fake;
}
