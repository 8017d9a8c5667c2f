import type { Client, Page } from 'holdfast/client';
import type { RunEvent } from './run-event.ts';

/** What is known of a history, and where it goes on. */
export interface KnownHistory {
  readonly events: readonly RunEvent[];
  /** Asks for the last page again, which may have grown; `undefined`: that is the first. */
  readonly cursor: string | undefined;
}

export const NOTHING_KNOWN: KnownHistory = { events: [], cursor: undefined };

const PAGE = 200;

interface Reading {
  readonly runId: string;
  readonly known: KnownHistory;
  readonly signal?: AbortSignal;
  /** Told of what is known after each page. */
  readonly onPage?: (known: KnownHistory) => void;
}

/**
 * Reads on from what is known of a history. A cursor names its page only to the API, so pages come one after the other.
 * @returns the same object when nothing is new
 */
export async function readHistory(
  runs: Pick<Client['runs'], 'history'>,
  { runId, known, signal, onPage }: Reading,
): Promise<KnownHistory> {
  const listing = runs.history(runId, { limit: PAGE }, { signal });
  let now = known;
  for (;;) {
    const page = await listing.page(now.cursor);
    now = withPage(now, page);
    if (page.nextCursor === null) return now;
    onPage?.(now);
  }
}

/** Adds a page; events that are known already are left out. */
function withPage(known: KnownHistory, { items, nextCursor }: Page<RunEvent>): KnownHistory {
  const last = known.events.at(-1)?.seq ?? 0;
  const added = items.filter(({ seq }) => seq > last);
  const cursor = nextCursor ?? known.cursor;
  if (added.length === 0 && cursor === known.cursor) return known;
  return { events: [...known.events, ...added], cursor };
}
