import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Intervention, RunView } from '../graph/journal/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { readPage, toPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import type { Tables } from './tables.ts';

/** An intervention with its run. */
export interface InterventionRecord {
  readonly runId: string;
  readonly intervention: Intervention;
  /** What is hidden of the run. */
  readonly redaction: Redaction;
}

export interface Interventions {
  /** All that waits for a person in the runs of a tenant, besides approvals; the newest run first. */
  list(tenantId: string, page: PageRequest): Promise<Page<InterventionRecord>>;
}

export function createInterventions(db: Kysely<Tables>): Interventions {
  return {
    async list(tenantId, { limit, after }) {
      const rows = db
        .selectFrom('runs')
        .select(['id', 'created_at', 'view', 'redaction'])
        .where('tenant_id', '=', tenantId)
        .where(WAITS_FOR_INTERVENTION)
        .where(isFrom(after));
      const { items: runs, next } = await readPage(db, rows, {
        limit: limit + 1,
        order: sql`created_at desc, id desc`,
        payloads: ['view', 'redaction'],
        positionOf: ({ created_at, id }) => toPosition({ at: created_at, runId: id, rank: Number.MAX_SAFE_INTEGER }),
      });
      const entries = runs.flatMap(toEntries).filter((entry) => after === undefined || comesAfter(entry, after));
      const page = toPage(entries, limit, toPosition);
      return {
        items: page.items.map(({ runId, intervention, redaction }) => ({ runId, intervention, redaction })),
        next: page.next ?? next,
      };
    },
  };
}

/**
 * Holds for runs that may wait for a person besides approvals, as in the index `runs_to_settle`. The view is compared as
 * text: PostgreSQL can't take a value out of JSON that holds an escaped NUL or half a surrogate pair.
 */
export const WAITS_FOR_INTERVENTION = sql<boolean>`view::text like '%"kind":"intervention"%'`;

interface Place {
  readonly at: Date;
  readonly runId: string;
  /** The number of the intervention in its run. */
  readonly rank: number;
}

interface Entry extends Place, InterventionRecord {}

function toEntries(row: {
  readonly id: string;
  readonly created_at: Date;
  readonly view: RunView | null;
  readonly redaction: Redaction;
}): readonly Entry[] {
  return (row.view?.waitingFor ?? []).flatMap((waiting, rank) =>
    waiting.kind === 'intervention'
      ? [{ at: row.created_at, runId: row.id, rank, intervention: waiting, redaction: row.redaction }]
      : [],
  );
}

function toPosition({ at, runId, rank }: Place): Position {
  return { at: at.toISOString(), id: `${runId}/${rank}` };
}

function parsePosition({ id }: Position): { readonly runId: string; readonly rank: number } {
  const [runId = '', rank = '0'] = id.split('/');
  return { runId, rank: Number(rank) };
}

function comesAfter({ runId, rank }: Entry, after: Position): boolean {
  const last = parsePosition(after);
  return runId !== last.runId || rank > last.rank;
}

/** The run of the position is among them: it may have more interventions. */
function isFrom(position: Position | undefined): RawBuilder<boolean> {
  if (!position) return sql<boolean>`true`;
  return sql<boolean>`(created_at, id) <= (${position.at}::timestamptz, ${parsePosition(position).runId})`;
}
