import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { Intervention, RunView } from '../graph/journal/index.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import type { Tables } from './tables.ts';

/** An intervention with its run. */
export interface InterventionRecord {
  readonly runId: string;
  readonly intervention: Intervention;
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
        .innerJoinLateral(
          sql<Waiting>`json_array_elements(view -> 'waitingFor') with ordinality`.as<'waiting'>(
            sql`waiting(entry, rank)`,
          ),
          (join) => join.onTrue(),
        )
        .select(['id', 'created_at', 'waiting.entry', 'waiting.rank'])
        .where('tenant_id', '=', tenantId)
        .where(MAY_WAIT)
        .where(sql<boolean>`entry ->> 'kind' = 'intervention'`)
        .where(isAfter(after));
      const page = await readPage(db, rows, {
        limit,
        order: sql`created_at desc, id desc, rank`,
        payloads: ['entry'],
        positionOf: ({ created_at, id, rank }) => ({ at: created_at.toISOString(), id: `${id}/${rank}` }),
      });
      return mapPage(page, ({ id, entry }) => ({ runId: id, intervention: entry }));
    },
  };
}

interface Waiting {
  entry: RunView['waitingFor'][number] & Intervention;
  rank: string;
}

/** As in the index `runs_to_settle`. */
const MAY_WAIT = sql<boolean>`view ->> 'waitingFor' like '%"kind":"intervention"%'`;

function isAfter(position: Position | undefined): RawBuilder<boolean> {
  if (!position) return sql<boolean>`true`;
  const [id = '', rank = '0'] = position.id.split('/');
  const run = sql`(created_at, id)`;
  const at = sql`(${position.at}::timestamptz, ${id})`;
  return sql<boolean>`(${run} < ${at} or (${run} = ${at} and rank > ${rank}::bigint))`;
}
