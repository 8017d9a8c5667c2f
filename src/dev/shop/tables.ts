import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { SEED_ORDERS } from './seed-orders.ts';

/** The shop's tables. Amounts are in cents, so that sums are exact. */
export interface ShopTables {
  readonly orders: OrdersTable;
  readonly refunds: RefundsTable;
}

export interface OrdersTable {
  readonly number: string;
  readonly customer: string;
  readonly item: string;
  readonly total_cents: number;
  readonly currency: string;
  readonly refunded_cents: number;
}

export interface RefundsTable {
  readonly id: string;
  /** The `Idempotency-Key` of the request. */
  readonly key: string;
  readonly order_number: string;
  readonly amount_cents: number;
  readonly reason: string;
  readonly created_at: Date;
}

/** Any number, equal in all shops on a database: a lock that lets one at a time create the tables. */
const PREPARATION_LOCK = 7_315_001;

/** Creates missing tables, and fills empty ones with the demo's orders. */
export async function prepareTables(db: Kysely<ShopTables>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(PREPARATION_LOCK)})`.execute(transaction);
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
    const orders = transaction.withSchema('shop');
    const known = await orders.selectFrom('orders').select('number').limit(1).executeTakeFirst();
    if (!known) await orders.insertInto('orders').values(SEED_ORDERS.map(toRow)).execute();
  });
}

const STATEMENTS = [
  'create schema if not exists shop',
  `create table if not exists shop.orders (
    number text primary key,
    customer text not null,
    item text not null,
    total_cents integer not null check (total_cents > 0),
    currency text not null,
    refunded_cents integer not null check (refunded_cents between 0 and total_cents)
  )`,
  `create table if not exists shop.refunds (
    id text primary key,
    key text not null unique,
    order_number text not null references shop.orders (number),
    amount_cents integer not null check (amount_cents > 0),
    reason text not null,
    created_at timestamptz not null
  )`,
] as const;

function toRow({ number, customer, item, totalCents, refundedCents }: (typeof SEED_ORDERS)[number]): OrdersTable {
  return {
    number,
    customer,
    item,
    total_cents: totalCents,
    currency: 'USD',
    refunded_cents: refundedCents ?? 0,
  };
}
