import { sql } from 'kysely';
import type { Kysely } from 'kysely';

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
    for (const statement of SHOP_TABLE_STATEMENTS) await sql.raw(statement).execute(transaction);
    const orders = transaction.withSchema('shop');
    const known = await orders.selectFrom('orders').select('number').limit(1).executeTakeFirst();
    if (!known) await orders.insertInto('orders').values(SEED_ORDERS.map(toOrderRow)).execute();
  });
}

const SHOP_TABLE_STATEMENTS = [
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

function toOrderRow({ number, customer, item, totalCents, refundedCents }: (typeof SEED_ORDERS)[number]): OrdersTable {
  return {
    number,
    customer,
    item,
    total_cents: totalCents,
    currency: 'USD',
    refunded_cents: refundedCents ?? 0,
  };
}

/** An initial order of the shop. */
export interface SeedOrder {
  readonly number: string;
  readonly customer: string;
  readonly item: string;
  readonly totalCents: number;
  /** Amount that was refunded earlier. */
  readonly refundedCents?: number;
}

/** One order for each ticket of the demo (graphs/refund-triage/tickets.jsonl), so that no two tickets share one. */
export const SEED_ORDERS: readonly SeedOrder[] = [
  { number: 'A-1001', customer: 'ann.miller@mail.example', item: 'Desk lamp', totalCents: 4_990 },
  { number: 'A-1002', customer: 'marcus.w@mail.example', item: 'Headphones', totalCents: 10_000 },
  { number: 'A-1003', customer: 'priya.n@mail.example', item: 'Rain coat', totalCents: 10_001 },
  { number: 'A-1004', customer: 'it@smallfirm.example', item: 'Laptop', totalCents: 189_900 },
  { number: 'A-1005', customer: 'george@mail.example', item: 'Sofa', totalCents: 64_000 },
  { number: 'A-1006', customer: 'lena.k@mail.example', item: 'Camera', totalCents: 42_000 },
  { number: 'A-1007', customer: 'juergen.b@post.example', item: 'Coffee grinder', totalCents: 7_950 },
  { number: 'A-1008', customer: 'carmen.r@correo.example', item: 'Set of cups', totalCents: 3_500 },
  { number: 'A-1009', customer: 'luc.martin@courriel.example', item: 'Board game', totalCents: 8_999 },
  { number: 'A-1010', customer: 'sato.y@tegami.example', item: 'Water bottle', totalCents: 6_400 },
  { number: 'A-1011', customer: 'dorothy.h@mail.example', item: 'Tea pot', totalCents: 5_825 },
  { number: 'A-1012', customer: 'kev@mail.example', item: 'Charging cable', totalCents: 2_499 },
  { number: 'A-1013', customer: 'ivy@mail.example', item: 'Jacket', totalCents: 9_500 },
  { number: 'A-1014', customer: 'tom.o@mail.example', item: 'Shoes', totalCents: 8_400 },
  { number: 'A-1015', customer: 'tom.o@mail.example', item: 'Belt', totalCents: 2_900 },
  { number: 'A-1017', customer: 'hannah.v@mail.example', item: 'Kettle', totalCents: 8_000 },
  { number: 'A-1018', customer: 'rick@mail.example', item: 'Umbrella', totalCents: 4_500 },
  { number: 'A-1019', customer: 'sue.a@mail.example', item: 'Scarf', totalCents: 5_900, refundedCents: 5_900 },
  { number: 'A-1020', customer: 'omar@mail.example', item: 'Two chairs', totalCents: 9_000, refundedCents: 4_000 },
  { number: 'A-1024', customer: 'vip.client@mail.example', item: 'Television', totalCents: 249_900 },
  { number: 'A-1025', customer: 'grace@mail.example', item: 'Book', totalCents: 3_800 },
  { number: 'A-1026', customer: 'demanding@mail.example', item: 'Blender', totalCents: 5_500 },
  { number: 'A-1027', customer: 'walter.g@mail.example', item: 'Toolbox', totalCents: 7_200 },
  { number: 'A-1028', customer: 'nadia@mail.example', item: 'Vacuum cleaner', totalCents: 15_000 },
  { number: 'A-1029', customer: 'sabine.f@post.example', item: 'Monitor', totalCents: 24_990 },
  { number: 'A-1032', customer: 'pieter@post.example', item: 'Backpack', totalCents: 6_000 },
  { number: 'A-1033', customer: 'josh@mail.example', item: 'T-shirt', totalCents: 1_995 },
  { number: 'A-1034', customer: 'eva.s@mail.example', item: 'E-bike', totalCents: 124_900 },
  { number: 'A-1035', customer: 'diego.l@correo.example', item: 'Watch', totalCents: 31_000 },
  { number: 'A-1036', customer: 'mia@mail.example', item: 'Phone case', totalCents: 1_250 },
  { number: 'A-1038', customer: 'karen.t@mail.example', item: 'Toaster', totalCents: 4_200 },
];
