import { isDeepStrictEqual } from 'node:util';
import type { Order, Product, Records, User, Variant } from './records.ts';

/** The content of a shop: the records that it began with, and those that have changed since. */
export interface Stock {
  readonly begun: Records;
  readonly changed: Changes;
}

/** Changed records, whole, by their ids. */
export interface Changes {
  readonly users: Readonly<Record<string, User>>;
  readonly orders: Readonly<Record<string, Order>>;
}

export const UNCHANGED: Changes = { users: {}, orders: {} };

/** A request that the shop refuses; nothing has changed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export function change({ begun, changed }: Stock, { users, orders }: Changes): Stock {
  return { begun, changed: { users: { ...changed.users, ...users }, orders: { ...changed.orders, ...orders } } };
}

/** The records that differ from those at the beginning. */
export function differencesOf({ begun, changed }: Stock): Changes {
  const pick = <T>(now: Readonly<Record<string, T>>, before: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(now).filter(([id, record]) => !isDeepStrictEqual(record, before[id])));
  return { users: pick(changed.users, begun.users), orders: pick(changed.orders, begun.orders) };
}

/** The current records with the ids of these changes. */
export function currentOf({ begun, changed }: Stock, { users, orders }: Changes): Changes {
  const pick = <T>(wanted: object, from: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(from).filter(([id]) => id in wanted));
  return {
    users: { ...pick(users, begun.users), ...pick(users, changed.users) },
    orders: { ...pick(orders, begun.orders), ...pick(orders, changed.orders) },
  };
}

/** @throws Refusal */
export function orderOf({ begun, changed }: Stock, id: string): Order {
  return found(changed.orders[id] ?? begun.orders[id], 'Order not found');
}

/** @throws Refusal */
export function userOf({ begun, changed }: Stock, id: string): User {
  return found(changed.users[id] ?? begun.users[id], 'User not found');
}

export function usersOf({ begun, changed }: Stock): readonly User[] {
  return Object.values({ ...begun.users, ...changed.users });
}

/** @throws Refusal */
export function productOf({ begun }: Stock, id: string): Product {
  return found(begun.products[id], 'Product not found');
}

/** @throws Refusal */
export function variantOf({ begun }: Stock, itemId: string): Variant {
  const products = Object.values(begun.products);
  return found(products.find(({ variants }) => itemId in variants)?.variants[itemId], 'Item not found');
}

/** @throws Refusal */
export function found<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Refusal(otherwise);
  return value;
}

/** @throws Refusal */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Refusal(otherwise);
}
