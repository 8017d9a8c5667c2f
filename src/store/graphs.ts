import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { GraphIssue } from '../graph/definition/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { lockName } from './database/run-statement.ts';
import { keepDefinition } from './definitions.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables } from './tables.ts';

/** A published version of a graph as it appears in lists. */
export interface GraphSummary {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** When and by whom it was unpublished; `null` while new runs may use it. */
  readonly unpublished: { readonly at: string; readonly by: string } | null;
}

/** A published version of a graph. */
export interface PublishedGraph extends GraphSummary {
  readonly definition: JsonObject;
  readonly warnings: readonly GraphIssue[];
  /** The pinned versions of graphs that are referenced without a version. */
  readonly pins: Readonly<Record<string, number>>;
}

export interface NewGraph extends Omit<PublishedGraph, 'version' | 'unpublished'> {
  readonly tenantId: string;
}

export interface Graphs {
  /** Publishes a definition. Equal content yields the same version again, also after it was unpublished. */
  publish(graph: NewGraph): Promise<{ readonly graph: PublishedGraph; readonly isNew: boolean }>;
  /** Finds a version, including unpublished ones; by default the newest published version. */
  find(tenantId: string, name: string, version?: number): Promise<PublishedGraph | null>;
  /** Lists the newest published version of every graph, by name. */
  list(tenantId: string, page: PageRequest): Promise<Page<GraphSummary>>;
  /** Reads a definition of a published graph or of a run. */
  definition(hash: string): Promise<JsonObject | null>;
}

export function createGraphs(db: Kysely<Tables>): Graphs {
  return {
    publish: (graph) => db.transaction().execute((transaction) => publishGraph(transaction, graph)),
    async find(tenantId, name, version) {
      const named = graphsWithDefinition(db, tenantId).where('name', '=', name);
      const chosen =
        version === undefined
          ? named.where('unpublished_at', 'is', null).orderBy('version', 'desc').limit(1)
          : named.where('version', '=', version);
      const row = await chosen.executeTakeFirst();
      return row ? toPublishedGraph(row) : null;
    },
    list: (tenantId, page) => listGraphs(db, tenantId, page),
    definition: async (hash) =>
      (await db.selectFrom('definitions').select('definition').where('hash', '=', hash).executeTakeFirst())
        ?.definition ?? null,
  };
}

async function publishGraph(
  db: Transaction<Tables>,
  graph: NewGraph,
): Promise<{ graph: PublishedGraph; isNew: boolean }> {
  const { tenantId, name, hash } = graph;
  await keepDefinition(db, hash, graph.definition);
  // The lock orders concurrent publications.
  await lockName(db, `${tenantId}/${name}`);
  const known = await graphsWithDefinition(db, tenantId)
    .where('name', '=', name)
    .where('graphs.hash', '=', hash)
    .executeTakeFirst();
  if (known) {
    await republishVersion(db, known);
    return { graph: { ...toPublishedGraph(known), unpublished: null }, isNew: false };
  }
  const newest = await db
    .selectFrom('graphs')
    .select((of) => of.fn.max('version').as('version'))
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  const version = (newest?.version ?? 0) + 1;
  const { definition, warnings, pins, createdAt, createdBy } = graph;
  await db
    .insertInto('graphs')
    .values({
      tenant_id: tenantId,
      name,
      version,
      hash,
      warnings: JSON.stringify(warnings),
      pins: JSON.stringify(pins),
      created_at: createdAt,
      created_by: createdBy,
    })
    .execute();
  const published = { name, version, hash, definition, warnings, pins, createdAt, createdBy, unpublished: null };
  return { graph: published, isNew: true };
}

async function republishVersion(db: Transaction<Tables>, { tenant_id, name, version, unpublished_at }: GraphRow) {
  if (unpublished_at === null) return;
  await db
    .updateTable('graphs')
    .set({ unpublished_at: null, unpublished_by: null })
    .where('tenant_id', '=', tenant_id)
    .where('name', '=', name)
    .where('version', '=', version)
    .execute();
}

function graphsWithDefinition(db: Kysely<Tables>, tenantId: string) {
  return db
    .selectFrom('graphs')
    .innerJoin('definitions', 'definitions.hash', 'graphs.hash')
    .selectAll()
    .where('tenant_id', '=', tenantId);
}

async function listGraphs(
  db: Kysely<Tables>,
  tenantId: string,
  { limit, after }: PageRequest,
): Promise<Page<GraphSummary>> {
  const newest = db
    .selectFrom('graphs')
    .select(SUMMARY_COLUMNS)
    .where('tenant_id', '=', tenantId)
    .where('unpublished_at', 'is', null)
    .where(
      sql<boolean>`not exists (
        select from graphs newer
        where newer.tenant_id = graphs.tenant_id and newer.name = graphs.name and newer.version > graphs.version
          and newer.unpublished_at is null
      )`,
    );
  const page = await readPage(db, after ? newest.where('name', '>', after.id) : newest, {
    limit,
    order: sql`name`,
    positionOf: ({ name, created_at }) => ({ at: created_at.toISOString(), id: name }),
  });
  return mapPage(page, toGraphSummary);
}

type GraphRow = Awaited<ReturnType<ReturnType<typeof graphsWithDefinition>['executeTakeFirstOrThrow']>>;

export const SUMMARY_COLUMNS = [
  'name',
  'version',
  'hash',
  'created_at',
  'created_by',
  'unpublished_at',
  'unpublished_by',
] as const satisfies readonly (keyof GraphRow)[];

export function toGraphSummary(row: Pick<GraphRow, (typeof SUMMARY_COLUMNS)[number]>): GraphSummary {
  const { name, version, hash, created_at, created_by, unpublished_at: at, unpublished_by: by } = row;
  return {
    name,
    version,
    hash,
    createdAt: created_at.toISOString(),
    createdBy: created_by,
    unpublished: at === null || by === null ? null : { at: at.toISOString(), by },
  };
}

function toPublishedGraph(row: GraphRow): PublishedGraph {
  const { definition, warnings, pins } = row;
  const { createdAt, createdBy, unpublished, ...summary } = toGraphSummary(row);
  return { ...summary, definition, warnings, pins, createdAt, createdBy, unpublished };
}
