import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { oneAtATime } from '../database/run-statement.ts';
import { isBeforePosition, mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import type { Schedule, ScheduleReference } from './schedule.ts';

/** A schedule that Temporal does not have as it is in the store. */
export interface UnsyncedSchedule extends ScheduleReference {
  readonly isDeleted: boolean;
}

/** The result of adding a schedule; `too-many` means that the tenant's limit is reached. */
export type Addition = 'added' | 'known' | 'too-many';

/** Schedules of tenants. Only `unsynced` returns deleted ones. */
export interface Schedules {
  /** Adds a schedule. Adding the same id again has no effect. */
  create(schedule: Schedule, most: number): Promise<Addition>;
  find(reference: ScheduleReference): Promise<Schedule | null>;
  /** Finds a schedule of any tenant. */
  findById(id: string): Promise<Schedule | null>;
  /** Lists schedules, newest first. */
  list(tenantId: string, page: PageRequest): Promise<Page<Schedule>>;
  /** Replaces the previous revision of a schedule. @returns false when it was changed or deleted meanwhile */
  replace(schedule: Schedule): Promise<boolean>;
  remove(reference: ScheduleReference): Promise<void>;
  /** Records the revision that Temporal has. @returns false when there is another one by now, or none */
  markSynced(reference: ScheduleReference, revision: number): Promise<boolean>;
  /** Records that Temporal does not have a schedule any more. */
  markUnsynced(reference: ScheduleReference): Promise<void>;
  /** Lists schedules that were changed before a time, and that Temporal does not have as they are. */
  unsynced(before: string, limit: number): Promise<readonly UnsyncedSchedule[]>;
  /** Deletes a removed schedule with its fires, once the workflow of none of them is open. */
  forget(reference: ScheduleReference): Promise<void>;
}

/** @internal */
export function createSchedules(db: Kysely<Tables>): Schedules {
  const kept = () => db.selectFrom('schedules').selectAll().where('deleted_at', 'is', null);
  return {
    create: (schedule, most) => create(db, schedule, most),
    find: async (reference) => (await kept().where(named(reference)).executeTakeFirst())?.schedule ?? null,
    findById: async (id) => (await kept().where('id', '=', id).executeTakeFirst())?.schedule ?? null,
    list: (tenantId, page) => list(db, tenantId, page),
    async replace(schedule) {
      const { numUpdatedRows } = await db
        .updateTable('schedules')
        .set(toRow(schedule))
        .where(named(schedule))
        .where('revision', '=', schedule.revision - 1)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async remove(reference) {
      await db
        .updateTable('schedules')
        .set({ deleted_at: sql`coalesce(deleted_at, now())` })
        .where(named(reference))
        .execute();
    },
    ...createSyncing(db),
    forget: (reference) => forget(db, reference),
  };
}

/** Schedules of a tenant are added one at a time, so that their count is exact. */
async function create(db: Kysely<Tables>, schedule: Schedule, most: number): Promise<Addition> {
  const { tenantId, id, createdAt } = schedule;
  return await oneAtATime(db, `schedules of ${tenantId}`, async (transaction) => {
    const { isKnown, count } = await transaction
      .selectFrom('schedules')
      .select(sql<boolean>`coalesce(bool_or(id = ${id}), false)`.as('isKnown'))
      .select(sql<number>`(count(*) filter (where deleted_at is null))::integer`.as('count'))
      .where('tenant_id', '=', tenantId)
      .executeTakeFirstOrThrow();
    if (isKnown) return 'known';
    if (count >= most) return 'too-many';
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('schedules')
      .values({ tenant_id: tenantId, id, ...toRow(schedule), created_at: createdAt, synced_revision: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n ? 'added' : 'known';
  });
}

/** Which revisions of schedules Temporal has. */
function createSyncing(db: Kysely<Tables>): Pick<Schedules, 'markSynced' | 'markUnsynced' | 'unsynced'> {
  return {
    async markSynced(reference, revision) {
      const { numUpdatedRows } = await db
        .updateTable('schedules')
        .set({ synced_revision: revision })
        .where(named(reference))
        .where('revision', '=', revision)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    markUnsynced: async (reference) =>
      void (await db.updateTable('schedules').set({ synced_revision: 0 }).where(named(reference)).execute()),
    unsynced: async (before, limit) =>
      await db
        .selectFrom('schedules')
        .select(['tenant_id as tenantId', 'id', sql<boolean>`deleted_at is not null`.as('isDeleted')])
        .where(sql<boolean>`synced_revision <> revision or deleted_at is not null`)
        .where(sql<boolean>`coalesce(deleted_at, updated_at) < ${before}::timestamptz`)
        .orderBy('updated_at')
        .limit(limit)
        .execute(),
  };
}

function named({ tenantId, id }: ScheduleReference) {
  return sql<boolean>`tenant_id = ${tenantId} and id = ${id}`;
}

async function list(db: Kysely<Tables>, tenantId: string, { limit, after }: PageRequest): Promise<Page<Schedule>> {
  const rows = db
    .selectFrom('schedules')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .where(isBeforePosition('created_at', after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`created_at desc, id desc`,
    payloads: ['schedule'],
    positionOf: ({ created_at, id }) => ({ at: created_at.toISOString(), id }),
  });
  return mapPage(page, ({ schedule }) => schedule);
}

async function forget(db: Kysely<Tables>, { tenantId, id }: ScheduleReference): Promise<void> {
  await sql`
    with forgotten as (
      delete from schedules s where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is not null
        and not exists (
          select from schedule_fires f where f.tenant_id = s.tenant_id and f.schedule_id = s.id
            and f.opened_at is not null and f.closed_at is null
        )
      returning s.tenant_id, s.id
    )
    delete from schedule_fires f using forgotten where f.tenant_id = forgotten.tenant_id and f.schedule_id = forgotten.id
  `.execute(db);
}

/** Builds the columns that a change writes. */
function toRow(schedule: Schedule) {
  return { schedule: JSON.stringify(schedule), revision: schedule.revision, updated_at: schedule.updatedAt };
}
