import type { Kysely, Transaction } from 'kysely';
import { fromCents } from './money.ts';
import type { OrdersTable, ShopTables } from './tables.ts';

/** An order in the API. */
export interface Order {
  readonly number: string;
  readonly customer: string;
  readonly item: string;
  readonly total: number;
  readonly currency: string;
  readonly refunded: number;
}

/** Finds an order by number. @returns a list with one order, or none */
export async function findOrders(db: Kysely<ShopTables>, number: string): Promise<readonly Order[]> {
  const rows = await db.selectFrom('orders').selectAll().where('number', '=', number).execute();
  return rows.map(toOrder);
}

/** Reads and locks an order until the transaction ends. */
export async function lockOrder(db: Transaction<ShopTables>, number: string): Promise<OrdersTable | undefined> {
  return await db.selectFrom('orders').selectAll().where('number', '=', number).forUpdate().executeTakeFirst();
}

function toOrder({ number, customer, item, total_cents, currency, refunded_cents }: OrdersTable): Order {
  return { number, customer, item, total: fromCents(total_cents), currency, refunded: fromCents(refunded_cents) };
}
