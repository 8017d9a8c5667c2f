import { sql } from 'kysely';
import type { Kysely, RawBuilder, Selectable } from 'kysely';
import type { Intervention } from '../graph/journal/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { mapPage, readPage, toPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import type { RunsTable, Tables } from './tables.ts';

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
const MAX_READS = 20;

/** @internal */
export function createInterventions(db: Kysely<Tables>): Interventions {
  return {
    async list(tenantId, request) {
      for (let reads = 1, { after } = request; ; reads += 1) {
        const page = await readNextRuns(db, tenantId, { ...request, after });
        if (page.items.length > 0 || page.next === null || reads === MAX_READS) return page;
        after = page.next;
      }
    },
  };
}

/** Reads the interventions of the next runs that may have one; the page may be empty. */
async function readNextRuns(
  db: Kysely<Tables>,
  tenantId: string,
  { limit, after }: PageRequest,
): Promise<Page<InterventionRecord>> {
  const rows = db
    .selectFrom('runs')
    .select(['id', 'created_at', 'view', 'redaction'])
    .where('tenant_id', '=', tenantId)
    .where(WAITS_FOR_INTERVENTION)
    .where(isFromPosition(after));
  const { items: runs, next } = await readPage(db, rows, {
    limit,
    order: sql`created_at desc, id desc`,
    payloads: ['view', 'redaction'],
    positionOf: ({ created_at, id }) => toPagePosition({ at: created_at, runId: id, lastListed: null }),
  });
  const page = toPage(
    runs.flatMap((run) => toInterventionEntries(run, after)),
    limit,
    toPagePosition,
  );
  return mapPage({ items: page.items, next: page.next ?? next }, ({ record }) => record);
}

/**
 * Selects runs that may wait for an intervention, as the index `runs_to_settle` does. The view is compared as text,
 * because PostgreSQL can't extract values from JSON that contains an escaped NUL or an unpaired surrogate.
 * @internal
 */
export const WAITS_FOR_INTERVENTION = sql<boolean>`view::text like '%"kind":"intervention"%'`;

/** The position in the list after an intervention, or after the last one of a run. */
interface InterventionPosition {
  readonly at: Date;
  readonly runId: string;
  /** The last intervention of the run that was listed; `null` when all were listed. */
  readonly lastListed: string | null;
}

/** An intervention, and the position after it. */
interface InterventionEntry extends InterventionPosition {
  readonly record: InterventionRecord;
}

type WaitingRun = Pick<Selectable<RunsTable>, 'id' | 'created_at' | 'view' | 'redaction'>;

/**
 * Returns the interventions of a run after a position, ordered by id, because ids do not change when others are
 * settled.
 */
function toInterventionEntries(
  { id: runId, created_at: at, view, redaction }: WaitingRun,
  after?: Position,
): readonly InterventionEntry[] {
  const last = after && parsePosition(after);
  const lastListed = last?.runId === runId ? last.lastListed : null;
  return (view?.waitingFor ?? [])
    .filter((waiting) => waiting.kind === 'intervention')
    .filter(({ id }) => lastListed === null || id > lastListed)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((intervention, index, { length }) => ({
      at,
      runId,
      lastListed: index === length - 1 ? null : intervention.id,
      record: { runId, intervention, redaction },
    }));
}

function toPagePosition({ at, runId, lastListed }: InterventionPosition): Position {
  return { at: at.toISOString(), id: lastListed === null ? runId : `${runId}/${lastListed}` };
}

function parsePosition({ id }: Position): Omit<InterventionPosition, 'at'> {
  const [runId = '', ...rest] = id.split('/');
  return { runId, lastListed: rest.length === 0 ? null : rest.join('/') };
}

/** Includes the run of the position itself, as it may have more interventions. */
function isFromPosition(position: Position | undefined): RawBuilder<boolean> {
  if (!position) return sql<boolean>`true`;
  const { runId, lastListed } = parsePosition(position);
  const run = sql`(${position.at}::timestamptz, ${runId})`;
  return lastListed === null ? sql<boolean>`(created_at, id) < ${run}` : sql<boolean>`(created_at, id) <= ${run}`;
}
