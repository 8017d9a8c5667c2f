import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { fromCents, toCents, lockOrder } from './orders.ts';
import type { RefundsTable, ShopTables } from './tables.ts';

/** A refund in the API. */
export interface Refund {
  readonly id: string;
  readonly order: string;
  readonly amount: number;
  readonly at: string;
}

/** A refund in the list of all refunds. */
export interface AccountedRefund extends Refund {
  readonly reason: string;
  readonly key: string;
}

export interface RefundRequest {
  readonly key: string;
  readonly order: string;
  readonly amount: number;
  readonly reason: string;
}

export type RefundAnswer =
  | { readonly kind: 'made' | 'repeated'; readonly refund: Refund }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'unknown-order' }
  | { readonly kind: 'too-much'; readonly left: number };

/**
 * Refunds an amount once for each key; an equal request returns the existing refund. Requests for one order are
 * serialized, so that their sum never exceeds its total.
 */
export async function issueRefund(db: Kysely<ShopTables>, request: RefundRequest): Promise<RefundAnswer> {
  return await db.transaction().execute(async (transaction) => {
    const order = await lockOrder(transaction, request.order);
    const known = await findByKey(transaction, request.key);
    if (known)
      return isSameRefund(known, request) ? { kind: 'repeated', refund: toApiRefund(known) } : { kind: 'key-reused' };
    if (!order) return { kind: 'unknown-order' };
    const leftCents = order.total_cents - order.refunded_cents;
    if (toCents(request.amount) > leftCents) return { kind: 'too-much', left: fromCents(leftCents) };
    return await payRefund(transaction, request);
  });
}

/** Lists all refunds, or those of one order, oldest first. */
export async function listRefunds(
  db: Kysely<ShopTables>,
  order: string | undefined,
): Promise<readonly AccountedRefund[]> {
  const all = db.selectFrom('refunds').selectAll().orderBy('created_at').orderBy('id');
  const rows = await (order === undefined ? all : all.where('order_number', '=', order)).execute();
  return rows.map((row) => Object.assign(toApiRefund(row), { reason: row.reason, key: row.key }));
}

async function findByKey(db: Transaction<ShopTables>, key: string): Promise<RefundsTable | undefined> {
  return await db.selectFrom('refunds').selectAll().where('key', '=', key).executeTakeFirst();
}

function isSameRefund(known: RefundsTable, { order, amount, reason }: RefundRequest): boolean {
  return known.order_number === order && known.amount_cents === toCents(amount) && known.reason === reason;
}

/** A key that a concurrent request for another order uses causes a conflict when that request commits. */
async function payRefund(
  db: Transaction<ShopTables>,
  { key, order, amount, reason }: RefundRequest,
): Promise<RefundAnswer> {
  const cents = toCents(amount);
  const row: RefundsTable = {
    id: `refund_${randomUUID()}`,
    key,
    order_number: order,
    amount_cents: cents,
    reason,
    created_at: new Date(),
  };
  const insert = db
    .insertInto('refunds')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doNothing());
  const { numInsertedOrUpdatedRows } = await insert.executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return { kind: 'key-reused' };
  const change = db.updateTable('orders').where('number', '=', order);
  await change.set(({ eb }) => ({ refunded_cents: eb('refunded_cents', '+', cents) })).execute();
  return { kind: 'made', refund: toApiRefund(row) };
}

function toApiRefund({ id, order_number, amount_cents, created_at }: RefundsTable): Refund {
  return { id, order: order_number, amount: fromCents(amount_cents), at: created_at.toISOString() };
}
