import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
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
  return rows.map(toApiOrder);
}

/** Reads and locks an order until the transaction ends. */
export async function lockOrder(db: Transaction<ShopTables>, number: string): Promise<OrdersTable | undefined> {
  return await db.selectFrom('orders').selectAll().where('number', '=', number).forUpdate().executeTakeFirst();
}

function toApiOrder({ number, customer, item, total_cents, currency, refunded_cents }: OrdersTable): Order {
  return { number, customer, item, total: fromCents(total_cents), currency, refunded: fromCents(refunded_cents) };
}

/** An amount of money in the API: positive, with at most two decimals. */
export const AmountSchema = z
  .number()
  .positive()
  .max(1_000_000)
  .refine((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6, 'must not have more than two decimals');

/** Converts an amount of the API to cents. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

/** Converts cents to an amount of the API. */
export function fromCents(cents: number): number {
  return cents / 100;
}
