import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import { copyOf } from '../builders/stored.ts';
import type { MemoryRun } from '../doubles/memory-shell.ts';

/**
 * Sends a signal that an ended run must refuse.
 * @returns the reason of the refusal
 * @throws Error if the run accepted the signal, or if more has changed than the event of the refusal
 */
export function refusalOf(run: MemoryRun, name: string, payload: JsonObject): string {
  const before = run.run;
  run.reopen(name, payload);
  const event = run.events.at(-1);
  if (event?.type !== 'signal.ignored' || event.signal !== name) throw new Error(`The run took the signal ${name}`);
  const { counters } = run.run;
  if (!isDeepStrictEqual(copyOf(run.run), copyOf({ ...before, counters })))
    throw new Error(`The signal ${name} was refused and has changed the run`);
  return event.reason;
}
