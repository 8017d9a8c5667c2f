import { sql } from 'kysely';
import type { Insertable, Kysely, Transaction } from 'kysely';
import type { GraphIssue } from '../graph/definition/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { lockName } from './database/run-statement.ts';
import { keepDefinition } from './definitions.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { GraphsTable, Tables } from './tables.ts';

/** A published version of a graph as it appears in lists. */
export interface GraphSummary {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** When and by whom it was unpublished; `null` while new runs may use it. */
  readonly unpublished: { readonly at: string; readonly by: string } | null;
  /** True if the name alone means this version: it was published last, of those that new runs may use. */
  readonly current: boolean;
}

/** A published version of a graph. */
export interface PublishedGraph extends GraphSummary {
  readonly definition: JsonObject;
  readonly warnings: readonly GraphIssue[];
  /** The pinned versions of graphs that are referenced without a version. */
  readonly pins: Readonly<Record<string, number>>;
}

export interface NewGraph extends Omit<PublishedGraph, 'version' | 'unpublished' | 'current'> {
  readonly tenantId: string;
}

/** Who publishes: a caller, which is the default, or the folder of a configuration whenever a process starts. */
export type GraphSource = 'caller' | 'configuration';

export interface Publication {
  readonly graph: PublishedGraph;
  /** `restored`: the same content was published before, and is the current version again. */
  readonly outcome: 'created' | 'restored' | 'unchanged';
  /** The version that the name meant until now; `null` if there was none, or if it still means it. */
  readonly replaced: number | null;
}

export interface Graphs {
  /**
   * Publishes a definition, which its name means from now on. Equal content yields the same version again, also after
   * it was unpublished. A configuration whose content has not changed since it last published it changes nothing, so
   * that a process that starts again does not undo what a caller has published meanwhile.
   */
  publish(graph: NewGraph, source?: GraphSource): Promise<Publication>;
  /** Finds a version, including unpublished ones; by default the current version. */
  find(tenantId: string, name: string, version?: number): Promise<PublishedGraph | null>;
  /** Finds the version with a content that new runs may use, and its pins. A name has at most one of each content. */
  findByHash(tenantId: string, name: string, hash: string): Promise<Pick<PublishedGraph, 'version' | 'pins'> | null>;
  /** Lists the current version of every graph, by name. */
  list(tenantId: string, page: PageRequest): Promise<Page<GraphSummary>>;
  /** Reads a definition of a published graph or of a run. */
  definition(hash: string): Promise<JsonObject | null>;
}

/** @internal */
export function createGraphs(db: Kysely<Tables>): Graphs {
  return {
    publish: (graph, source) =>
      db.transaction().execute(async (transaction) => await publishGraph(transaction, graph, source)),
    async find(tenantId, name, version) {
      const named = graphsWithDefinition(db, tenantId).where('name', '=', name);
      const chosen = version === undefined ? named.where(isCurrent) : named.where('version', '=', version);
      const row = await chosen.executeTakeFirst();
      return row ? toPublishedGraph(row) : null;
    },
    async findByHash(tenantId, name, hash) {
      const versions = db.selectFrom('graphs').select(['version', 'pins']).where('tenant_id', '=', tenantId);
      const row = versions.where('name', '=', name).where('hash', '=', hash).where('unpublished_at', 'is', null);
      return (await row.executeTakeFirst()) ?? null;
    },
    list: (tenantId, page) => listGraphs(db, tenantId, page),
    definition: async (hash) =>
      (await db.selectFrom('definitions').select('definition').where('hash', '=', hash).executeTakeFirst())
        ?.definition ?? null,
  };
}

async function publishGraph(db: Transaction<Tables>, graph: NewGraph, source?: GraphSource): Promise<Publication> {
  const { tenantId, name, hash } = graph;
  await keepDefinition(db, hash, graph.definition);
  // The lock orders concurrent publications.
  await lockName(db, `${tenantId}/${name}`);
  const known = await graphsWithDefinition(db, tenantId)
    .where('name', '=', name)
    .where('graphs.hash', '=', hash)
    .executeTakeFirst();
  const current = await summaries(db, tenantId).where('name', '=', name).where(isCurrent).executeTakeFirst();
  const last = await readLastNumbers(db, graph);
  if (known && source === 'configuration' && known.configured !== null && known.configured === last.configured)
    return { graph: toPublishedGraph(known), outcome: 'unchanged', replaced: null };
  const publication = last.publication + 1;
  const row = {
    tenant_id: tenantId,
    name,
    version: known?.version ?? last.version + 1,
    unpublished_at: null,
    unpublished_by: null,
    publication,
    ...(source === 'configuration' && { configured: publication }),
  };
  const replaced = current === undefined || current.version === row.version ? null : current.version;
  if (known) await restoreVersion(db, row);
  else await insertVersion(db, graph, row);
  const { definition, warnings, pins, createdAt, createdBy } = known ? toPublishedGraph(known) : graph;
  const content = { name, version: row.version, hash, definition, warnings, pins, createdAt, createdBy };
  const outcome = known ? (known.current ? 'unchanged' : 'restored') : 'created';
  return { graph: { ...content, unpublished: null, current: true }, outcome, replaced };
}

/** The highest numbers of a name; 0 without versions. */
async function readLastNumbers(db: Transaction<Tables>, { tenantId, name }: NewGraph) {
  const last = await db
    .selectFrom('graphs')
    .select(({ fn }) => [
      fn.max('version').as('version'),
      fn.max('publication').as('publication'),
      fn.max('configured').as('configured'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  return { version: last?.version ?? 0, publication: last?.publication ?? 0, configured: last?.configured ?? 0 };
}

type VersionRow = Omit<Insertable<GraphsTable>, 'hash' | 'warnings' | 'pins' | 'created_at' | 'created_by'>;

async function restoreVersion(db: Transaction<Tables>, { tenant_id, name, version, ...published }: VersionRow) {
  await db
    .updateTable('graphs')
    .set(published)
    .where('tenant_id', '=', tenant_id)
    .where('name', '=', name)
    .where('version', '=', version)
    .execute();
}

async function insertVersion(
  db: Transaction<Tables>,
  { hash, warnings, pins, createdAt, createdBy }: NewGraph,
  row: VersionRow,
) {
  const content = { hash, warnings: JSON.stringify(warnings), pins: JSON.stringify(pins) };
  await db
    .insertInto('graphs')
    .values({ ...row, ...content, created_at: createdAt, created_by: createdBy })
    .execute();
}

/** True for the version that was published last, of those that are not unpublished. */
const isCurrent = sql<boolean>`(
  graphs.unpublished_at is null and not exists (
    select from graphs later
    where later.tenant_id = graphs.tenant_id and later.name = graphs.name
      and later.publication > graphs.publication and later.unpublished_at is null
  )
)`;

function graphsWithDefinition(db: Kysely<Tables>, tenantId: string) {
  return db
    .selectFrom('graphs')
    .innerJoin('definitions', 'definitions.hash', 'graphs.hash')
    .selectAll()
    .select(isCurrent.as('current'))
    .where('tenant_id', '=', tenantId);
}

async function listGraphs(
  db: Kysely<Tables>,
  tenantId: string,
  { limit, after }: PageRequest,
): Promise<Page<GraphSummary>> {
  const current = summaries(db, tenantId).where(isCurrent);
  const page = await readPage(db, after ? current.where('name', '>', after.id) : current, {
    limit,
    order: sql`name`,
    positionOf: ({ name, created_at }) => ({ at: created_at.toISOString(), id: name }),
  });
  return mapPage(page, toGraphSummary);
}

/** Selects the versions of a tenant's graphs as they appear in lists. @internal */
export function summaries(db: Kysely<Tables>, tenantId: string) {
  return db
    .selectFrom('graphs')
    .select(['name', 'version', 'hash', 'created_at', 'created_by', 'unpublished_at', 'unpublished_by'])
    .select(isCurrent.as('current'))
    .where('tenant_id', '=', tenantId);
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['executeTakeFirstOrThrow']>>;
type GraphRow = Awaited<ReturnType<ReturnType<typeof graphsWithDefinition>['executeTakeFirstOrThrow']>>;

/** @internal */
export function toGraphSummary(row: SummaryRow): GraphSummary {
  const { name, version, hash, created_at, created_by, unpublished_at: at, unpublished_by: by, current } = row;
  return {
    name,
    version,
    hash,
    createdAt: created_at.toISOString(),
    createdBy: created_by,
    unpublished: at === null || by === null ? null : { at: at.toISOString(), by },
    current,
  };
}

function toPublishedGraph(row: GraphRow): PublishedGraph {
  const { definition, warnings, pins } = row;
  const { createdAt, createdBy, unpublished, current, ...summary } = toGraphSummary(row);
  return { ...summary, definition, warnings, pins, createdAt, createdBy, unpublished, current };
}
