import type { RunEvent } from '../graph/journal/index.ts';
import { jsonSize } from '../graph/values/index.ts';

/** The events of a run that can be asked for by query; all of them are in the store. */
export interface LatestEvents {
  add(events: readonly RunEvent[]): void;
  all(): readonly RunEvent[];
}

const MAX_EVENTS = 200;
/** In bytes: an answer that is larger is refused. One event alone may be. */
const MAX_SIZE = 1_000_000;

/** @param carried what the execution before has kept */
export function createLatestEvents(carried: readonly RunEvent[]): LatestEvents {
  const kept: RunEvent[] = [];
  const sizes: number[] = [];
  let total = 0;
  const add = (events: readonly RunEvent[]): void => {
    for (const event of events.slice(-MAX_EVENTS)) {
      const size = jsonSize(event);
      kept.push(event);
      sizes.push(size);
      total += size;
    }
    while (kept.length > 1 && (kept.length > MAX_EVENTS || total > MAX_SIZE)) {
      kept.shift();
      total -= sizes.shift() ?? 0;
    }
  };
  add(carried);
  return { add, all: () => [...kept] };
}
