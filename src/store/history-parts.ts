import type { Kysely } from 'kysely';
import type { RunEvent } from '../graph/journal/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { RunStatus } from '../graph/run/index.ts';
import { listEvents, toEventPosition } from './events.ts';
import type { Tables } from './tables.ts';

/** A part of a run's history, with the run's row as read afterwards. */
export interface HistoryPart {
  /** The events up to the first gap. */
  readonly events: readonly RunEvent[];
  /** True when more events can be read at once. */
  readonly hasMore: boolean;
  readonly status: RunStatus;
  /** The last event that is written; events before it may still be missing. */
  readonly lastSeq: number;
  readonly redaction: Redaction;
}

/** Reads runs for streams. A part is small, because many streams hold one at a time. */
export interface HistoryParts {
  /** @returns the events after a number; `null` when the run was deleted */
  after(runId: string, seq: number): Promise<HistoryPart | null>;
}

const PART = { limit: 100, maxBytes: 262_144 };

/** @internal */
export function createHistoryParts(db: Kysely<Tables>): HistoryParts {
  return {
    async after(runId, seq) {
      const { items, next } = await listEvents(db, runId, { ...PART, after: toEventPosition(seq) });
      const row = await db
        .selectFrom('runs')
        .select(['status', 'last_seq', 'redaction'])
        .where('id', '=', runId)
        .executeTakeFirst();
      if (!row) return null;
      const { status, last_seq: lastSeq, redaction } = row;
      return { events: items, hasMore: next !== null, status, lastSeq, redaction };
    },
  };
}
