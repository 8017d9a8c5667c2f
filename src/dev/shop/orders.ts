import type { Kysely, Transaction } from 'kysely';
import { fromCents } from './money.ts';
import type { OrdersTable, ShopTables } from './tables.ts';

/** An order as the API shows it. */
export interface Order {
  readonly number: string;
  readonly customer: string;
  readonly item: string;
  readonly total: number;
  readonly currency: string;
  readonly refunded: number;
}

/** The order of a number, in a list; an empty one when there is none. */
export async function findOrders(db: Kysely<ShopTables>, number: string): Promise<readonly Order[]> {
  const rows = await db.selectFrom('orders').selectAll().where('number', '=', number).execute();
  return rows.map(toOrder);
}

/** Reads an order that nobody else can change until the transaction is over. */
export async function lockOrder(db: Transaction<ShopTables>, number: string): Promise<OrdersTable | undefined> {
  return await db.selectFrom('orders').selectAll().where('number', '=', number).forUpdate().executeTakeFirst();
}

function toOrder({ number, customer, item, total_cents, currency, refunded_cents }: OrdersTable): Order {
  return { number, customer, item, total: fromCents(total_cents), currency, refunded: fromCents(refunded_cents) };
}
