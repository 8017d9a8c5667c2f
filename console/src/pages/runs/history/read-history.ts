import type { Client } from 'holdfast/client';
import type { RunEvent } from './run-event.ts';

/** A first page comes soon, to draw something; the rest comes in few. */
const FIRST_PAGE = 200;
const LATER_PAGE = 1_000;

interface Reading {
  readonly runId: string;
  /** The first events, which are not read again. */
  readonly known: readonly RunEvent[];
  readonly signal?: AbortSignal;
  /** Told of what is known after each page but the last. */
  readonly onPage?: (known: readonly RunEvent[]) => void;
}

/**
 * Reads on behind what is known of a history.
 * @returns the same object when nothing is new
 */
export async function readHistory(
  runs: Pick<Client['runs'], 'history'>,
  { runId, known, signal, onPage }: Reading,
): Promise<readonly RunEvent[]> {
  let now = known;
  for (;;) {
    const after = now.at(-1)?.seq ?? 0;
    const limit = after === 0 ? FIRST_PAGE : LATER_PAGE;
    const { items, nextCursor } = await runs.history(runId, { limit, after }, { signal }).page();
    if (items.length > 0) now = now.concat(items);
    if (nextCursor === null) return now;
    onPage?.(now);
  }
}
