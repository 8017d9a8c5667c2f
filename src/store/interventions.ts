import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Intervention, RunView } from '../graph/journal/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { mapPage, readPage, toPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import type { Tables } from './tables.ts';

/** An intervention with its run. */
export interface InterventionRecord {
  readonly runId: string;
  readonly intervention: Intervention;
  /** The redaction of the run. */
  readonly redaction: Redaction;
}

export interface Interventions {
  /** Lists everything that waits for a person in a tenant's runs, except approvals; the newest run first. */
  list(tenantId: string, page: PageRequest): Promise<Page<InterventionRecord>>;
}

/** The most pages of runs that are searched for one that has an intervention. */
const MAX_LOOKS = 20;

export function createInterventions(db: Kysely<Tables>): Interventions {
  return {
    async list(tenantId, request) {
      for (let looks = 1, { after } = request; ; looks += 1) {
        const page = await look(db, tenantId, { ...request, after });
        if (page.items.length > 0 || page.next === null || looks === MAX_LOOKS) return page;
        after = page.next;
      }
    },
  };
}

/** Searches the next runs that may wait for an intervention. There may be none among them. */
async function look(
  db: Kysely<Tables>,
  tenantId: string,
  { limit, after }: PageRequest,
): Promise<Page<InterventionRecord>> {
  const rows = db
    .selectFrom('runs')
    .select(['id', 'created_at', 'view', 'redaction'])
    .where('tenant_id', '=', tenantId)
    .where(WAITS_FOR_INTERVENTION)
    .where(isFrom(after));
  const { items: runs, next } = await readPage(db, rows, {
    limit,
    order: sql`created_at desc, id desc`,
    payloads: ['view', 'redaction'],
    positionOf: ({ created_at, id }) => toPosition({ at: created_at, runId: id, shown: null }),
  });
  const page = toPage(
    runs.flatMap((run) => toEntries(run, after)),
    limit,
    toPosition,
  );
  return mapPage({ items: page.items, next: page.next ?? next }, ({ record }) => record);
}

/**
 * Selects runs that may wait for an intervention, as the index `runs_to_settle` does. The view is compared as text,
 * because PostgreSQL can't extract values from JSON that contains an escaped NUL or an unpaired surrogate.
 */
export const WAITS_FOR_INTERVENTION = sql<boolean>`view::text like '%"kind":"intervention"%'`;

interface Place {
  readonly at: Date;
  readonly runId: string;
  /** The last intervention of the run that was listed; `null` when all were listed. */
  readonly shown: string | null;
}

/** An intervention, and the position after it. */
interface Entry extends Place {
  readonly record: InterventionRecord;
}

interface WaitingRun {
  readonly id: string;
  readonly created_at: Date;
  readonly view: RunView | null;
  readonly redaction: Redaction;
}

/**
 * Returns the interventions of a run after a position, ordered by id, because ids do not change when others are
 * settled.
 */
function toEntries({ id: runId, created_at: at, view, redaction }: WaitingRun, after?: Position): readonly Entry[] {
  const last = after && parsePosition(after);
  const shown = last?.runId === runId ? last.shown : null;
  return (view?.waitingFor ?? [])
    .filter((waiting) => waiting.kind === 'intervention')
    .filter(({ id }) => shown === null || id > shown)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((intervention, index, { length }) => ({
      at,
      runId,
      shown: index === length - 1 ? null : intervention.id,
      record: { runId, intervention, redaction },
    }));
}

function toPosition({ at, runId, shown }: Place): Position {
  return { at: at.toISOString(), id: shown === null ? runId : `${runId}/${shown}` };
}

function parsePosition({ id }: Position): Omit<Place, 'at'> {
  const [runId = '', ...shown] = id.split('/');
  return { runId, shown: shown.length === 0 ? null : shown.join('/') };
}

/** Includes the run of the position itself, as it may have more interventions. */
function isFrom(position: Position | undefined): RawBuilder<boolean> {
  if (!position) return sql<boolean>`true`;
  const { runId, shown } = parsePosition(position);
  const place = sql`(${position.at}::timestamptz, ${runId})`;
  return shown === null ? sql<boolean>`(created_at, id) < ${place}` : sql<boolean>`(created_at, id) <= ${place}`;
}
