import type { RunEvent } from '../graph/journal/index.ts';
import { jsonSize } from '../graph/values/index.ts';

/** The latest events of a run, for queries and the Temporal Web UI. The store has all of them. */
export interface LatestEvents {
  add(events: readonly RunEvent[]): void;
  all(): readonly RunEvent[];
}

const MAX_LATEST_EVENTS = 200;
/** In bytes, because the server refuses a larger answer. A single event may exceed it. */
const MAX_SIZE = 1_000_000;

/** @param initial the latest events of the previous execution */
export function createLatestEvents(initial: readonly RunEvent[]): LatestEvents {
  const kept: RunEvent[] = [];
  const sizes: number[] = [];
  let total = 0;
  const add = (events: readonly RunEvent[]): void => {
    for (const event of events.slice(-MAX_LATEST_EVENTS)) {
      const size = jsonSize(event);
      kept.push(event);
      sizes.push(size);
      total += size;
    }
    while (kept.length > 1 && (kept.length > MAX_LATEST_EVENTS || total > MAX_SIZE)) {
      kept.shift();
      total -= sizes.shift() ?? 0;
    }
  };
  add(initial);
  return { add, all: () => [...kept] };
}
