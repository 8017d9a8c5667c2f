import { sql } from 'kysely';
import type { CatalogKind } from '../graph/definition/index.ts';
import type { Kysely, Selectable } from 'kysely';
import { ROW_COUNT, putUpTo } from './database/run-statement.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables, SwitchesTable } from './tables.ts';

/** The switch of a tool, a model, other code or a graph. */
export interface Switch extends SwitchKey {
  readonly state: 'on' | 'off';
  readonly reason: string;
  /** The tenants for which it is off; `null` for all. */
  readonly tenants: readonly string[] | null;
  /** RFC 3339. */
  readonly changedAt: string;
  readonly changedBy: string;
}

export interface SwitchKey {
  readonly kind: CatalogKind;
  readonly name: string;
}

export interface Switches {
  /** Creates or replaces a switch. @returns `null` when the limit is reached; nothing is changed */
  put(one: Switch, most: number): Promise<{ readonly isNew: boolean } | null>;
  find(key: SwitchKey): Promise<Switch | null>;
  /** Lists all switches by kind and name. */
  list(page: PageRequest): Promise<Page<Switch>>;
  /** Deletes a switch, which turns its subject on. */
  remove(key: SwitchKey): Promise<void>;
  /** Lists the switches that are off. */
  off(): Promise<readonly Switch[]>;
}

/** @internal */
export function createSwitches(db: Kysely<Tables>): Switches {
  const all = db.selectFrom('switches').selectAll();
  return {
    put: (one, most) => putSwitchRow(db, one, most),
    async find({ kind, name }) {
      const row = await all.where('kind', '=', kind).where('name', '=', name).executeTakeFirst();
      return row ? toSwitch(row) : null;
    },
    async list({ limit, after }) {
      const rows = after ? all.where(sql<boolean>`(kind, name) > (${after.at}, ${after.id})`) : all;
      const page = await readPage(db, rows, {
        limit,
        order: sql`kind, name`,
        positionOf: ({ kind, name }) => ({ at: kind, id: name }),
      });
      return mapPage(page, toSwitch);
    },
    async remove({ kind, name }) {
      await db.deleteFrom('switches').where('kind', '=', kind).where('name', '=', name).execute();
    },
    off: async () => (await all.where('state', '=', 'off').execute()).map(toSwitch),
  };
}

async function putSwitchRow(
  db: Kysely<Tables>,
  { kind, name, state, reason, tenants, changedAt, changedBy }: Switch,
  most: number,
): Promise<{ readonly isNew: boolean } | null> {
  const values = { state, reason, tenants, changed_at: changedAt, changed_by: changedBy };
  const put = await putUpTo(db, 'switches', most, {
    existing: (transaction) =>
      transaction
        .updateTable('switches')
        .set(values)
        .where('kind', '=', kind)
        .where('name', '=', name)
        .returning('name'),
    count: (transaction) => transaction.selectFrom('switches').select(ROW_COUNT),
    insert: (transaction) =>
      transaction
        .insertInto('switches')
        .values({ kind, name, ...values })
        .returning('name'),
  });
  return put && { isNew: put.isNew };
}

function toSwitch(row: Selectable<SwitchesTable>): Switch {
  const { kind, name, state, reason, tenants, changed_at, changed_by } = row;
  return { kind, name, state, reason, tenants, changedAt: changed_at.toISOString(), changedBy: changed_by };
}
