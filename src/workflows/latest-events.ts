import type { RunEvent } from '../graph/events.ts';
import { jsonSize } from '../graph/json.ts';

/** The events of a run that can be asked for by query; all of them are in the store. */
export interface LatestEvents {
  add(events: readonly RunEvent[]): void;
  all(): readonly RunEvent[];
}

const MAX_EVENTS = 200;
/** In bytes: an answer that is larger is refused. One event alone may be. */
const MAX_SIZE = 1_000_000;

/** @param handedOver what the execution before has kept */
export function createLatestEvents(handedOver: readonly RunEvent[]): LatestEvents {
  let kept: { readonly event: RunEvent; readonly size: number }[] = [];
  let total = 0;
  const add = (events: readonly RunEvent[]): void => {
    const added = events.slice(-MAX_EVENTS).map((event) => ({ event, size: jsonSize(event) }));
    total += added.reduce((sum, { size }) => sum + size, 0);
    kept = [...kept, ...added];
    let gone = 0;
    while (kept.length - gone > 1 && (kept.length - gone > MAX_EVENTS || total > MAX_SIZE))
      total -= kept[gone++]?.size ?? 0;
    kept = kept.slice(gone);
  };
  add(handedOver);
  return { add, all: () => kept.map(({ event }) => event) };
}
