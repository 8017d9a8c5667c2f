import type { Engine } from '../../../src/api/temporal/engine.ts';

/** Builds an engine whose Temporal is unavailable. @param over methods that work all the same */
export function anAbsentEngine(over: Partial<Engine> = {}): Engine {
  const absent = new Error('There is no Temporal');
  const nobody = async (): Promise<never> => await Promise.reject(absent);
  const nothing = (): never => {
    throw absent;
  };
  return {
    start: nobody,
    send: nobody,
    decide: nobody,
    outcome: nobody,
    view: nobody,
    terminatedRuns: nothing,
    terminatedRun: nobody,
    ping: nobody,
    ...over,
  };
}
