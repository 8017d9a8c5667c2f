import type { Engine } from '../../../src/api/temporal/engine.ts';

/** Builds an engine whose Temporal is unavailable. @param over methods that work nevertheless */
export function anAbsentEngine(over: Partial<Engine> = {}): Engine {
  const absent = new Error('There is no Temporal');
  const unavailable = async (): Promise<never> => await Promise.reject(absent);
  const nothing = (): never => {
    throw absent;
  };
  return {
    start: unavailable,
    send: unavailable,
    signalAndAsk: unavailable,
    signalResult: unavailable,
    view: unavailable,
    abortedRuns: nothing,
    workflowEnd: unavailable,
    failingTask: unavailable,
    pendingActivities: unavailable,
    quarantine: unavailable,
    schedules: {
      put: unavailable,
      remove: unavailable,
      nextTimes: unavailable,
      timesBetween: unavailable,
      trigger: unavailable,
      backfill: unavailable,
      fireState: unavailable,
      endFire: unavailable,
    },
    ping: unavailable,
    ...over,
  };
}
