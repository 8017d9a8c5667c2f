import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import { openBranch } from './branch.ts';
import type { Branch } from './branch.ts';
import type { Records } from './records.ts';
import type { WriteName } from './writes.ts';

const address = { address1: '1 Elm St', address2: '', city: 'Austin', state: 'TX', country: 'USA', zip: '78712' };
const lamp = { name: 'Lamp', product_id: 'p1', item_id: 'red', price: 10.1, options: { color: 'red' } };
const order = { user_id: 'ann', address, items: [lamp, lamp], fulfillments: [] };
const paid = [{ transaction_type: 'payment' as const, amount: 20.2, payment_method_id: 'gift' }];

const RECORDS: Records = {
  products: {
    p1: {
      name: 'Lamp',
      product_id: 'p1',
      variants: {
        red: { item_id: 'red', options: { color: 'red' }, available: true, price: 10.1 },
        blue: { item_id: 'blue', options: { color: 'blue' }, available: true, price: 10.4 },
        gold: { item_id: 'gold', options: { color: 'gold' }, available: true, price: 99 },
        gray: { item_id: 'gray', options: { color: 'gray' }, available: false, price: 1 },
      },
    },
  },
  users: {
    ann: {
      user_id: 'ann',
      name: { first_name: 'Ann', last_name: 'Lee' },
      address,
      email: 'ann@example.com',
      payment_methods: {
        gift: { source: 'gift_card', id: 'gift', balance: 5 },
        pal: { source: 'paypal', id: 'pal' },
      },
      orders: ['open', 'here'],
    },
  },
  orders: {
    open: { ...order, order_id: 'open', status: 'pending', payment_history: paid },
    here: { ...order, order_id: 'here', status: 'delivered', payment_history: paid },
  },
};

interface Row {
  readonly name: WriteName;
  readonly args: JsonObject;
}

function openShop(honoursKeys = false): Branch {
  return openBranch(RECORDS, { honoursKeys });
}

const swap = { item_ids: ['red', 'red'], new_item_ids: ['gold', 'blue'], payment_method_id: 'pal' };
const elsewhere = { ...address, city: 'Waco' };
const blue = { ...lamp, item_id: 'blue', price: 10.4, options: { color: 'blue' } };

const ACCEPTED: Readonly<Record<string, Row & { readonly changes: object }>> = {
  'a canceled order is refunded, to a gift card at once': {
    name: 'cancel_pending_order',
    args: { order_id: 'open', reason: 'no longer needed' },
    changes: {
      orders: { open: { status: 'cancelled', payment_history: [...paid, { ...paid[0], transaction_type: 'refund' }] } },
      users: { ann: { payment_methods: { gift: { balance: 25.2 } } } },
    },
  },
  'an exchange records the difference of the prices': {
    name: 'exchange_delivered_order_items',
    args: { order_id: 'here', ...swap },
    changes: {
      orders: {
        here: {
          status: 'exchange requested',
          exchange_items: ['red', 'red'],
          exchange_new_items: ['blue', 'gold'],
          exchange_price_difference: 89.2,
        },
      },
      users: {},
    },
  },
  'a return is refunded to a gift card': {
    name: 'return_delivered_order_items',
    args: { order_id: 'here', item_ids: ['red'], payment_method_id: 'gift' },
    changes: { orders: { here: { status: 'return requested', return_items: ['red'] } }, users: {} },
  },
  'all replaced items get the price and the options of the last new item': {
    name: 'modify_pending_order_items',
    args: { order_id: 'open', ...swap },
    changes: {
      orders: { open: { status: 'pending (item modified)', items: [{ ...blue, item_id: 'gold' }, blue] } },
      users: {},
    },
  },
  'an order is charged to another payment method, and the first is refunded': {
    name: 'modify_pending_order_payment',
    args: { order_id: 'open', payment_method_id: 'pal' },
    changes: {
      orders: { open: { payment_history: [...paid, { payment_method_id: 'pal' }, { transaction_type: 'refund' }] } },
      users: { ann: { payment_methods: { gift: { balance: 25.2 } } } },
    },
  },
  'an order gets another address': {
    name: 'modify_pending_order_address',
    args: { order_id: 'open', ...elsewhere },
    changes: { orders: { open: { address: elsewhere } }, users: {} },
  },
  'a user gets another address': {
    name: 'modify_user_address',
    args: { user_id: 'ann', ...elsewhere },
    changes: { orders: {}, users: { ann: { address: elsewhere } } },
  },
};

const one = { item_ids: ['red'], new_item_ids: ['blue'], payment_method_id: 'pal' };

const REFUSED: Readonly<Record<string, Row>> = {
  'an unknown order': { name: 'cancel_pending_order', args: { order_id: 'none', reason: 'no longer needed' } },
  'a cancellation for an unknown reason': {
    name: 'cancel_pending_order',
    args: { order_id: 'open', reason: 'too dear' },
  },
  'the cancellation of a delivered order': {
    name: 'cancel_pending_order',
    args: { order_id: 'here', reason: 'no longer needed' },
  },
  'the exchange of a pending order': { name: 'exchange_delivered_order_items', args: { order_id: 'open', ...one } },
  'more units of an item than the order has': {
    name: 'exchange_delivered_order_items',
    args: { order_id: 'here', ...one, item_ids: ['red', 'red', 'red'], new_item_ids: ['blue', 'blue', 'blue'] },
  },
  'lists of different lengths': {
    name: 'exchange_delivered_order_items',
    args: { order_id: 'here', ...one, item_ids: ['red', 'red'] },
  },
  'an item that is not available': {
    name: 'exchange_delivered_order_items',
    args: { order_id: 'here', ...one, new_item_ids: ['gray'] },
  },
  'a gift card that does not cover the difference': {
    name: 'exchange_delivered_order_items',
    args: { order_id: 'here', ...one, new_item_ids: ['gold'], payment_method_id: 'gift' },
  },
  'a return to another payment method than the first': {
    name: 'return_delivered_order_items',
    args: { order_id: 'here', item_ids: ['red'], payment_method_id: 'pal' },
  },
  'the exchange of an item for itself': {
    name: 'modify_pending_order_items',
    args: { order_id: 'open', ...one, new_item_ids: ['red'] },
  },
  'a change to the same payment method': {
    name: 'modify_pending_order_payment',
    args: { order_id: 'open', payment_method_id: 'gift' },
  },
  'missing arguments': { name: 'modify_user_address', args: { user_id: 'ann' } },
};

const call = ({ name, args }: Row, key = 'k') => ({ key, name, args });

describe('the shop', () => {
  test.each(Object.entries(ACCEPTED))('the retail shop accepts a write: %s', (_, { changes, ...row }) => {
    const shop = openShop();
    expect(shop.execute(call(row)).isAccepted).toBe(true);
    expect(shop.differences()).toMatchObject(changes);
  });

  test.each(Object.entries(REFUSED))('the retail shop refuses %s, and no record changes', (_, row) => {
    const shop = openShop();
    expect(shop.execute(call(row)).isAccepted).toBe(false);
    expect(shop.differences()).toEqual({ users: {}, orders: {} });
  });

  const cancel: Row = { name: 'cancel_pending_order', args: { order_id: 'open', reason: 'no longer needed' } };
  const pay: Row = { name: 'modify_pending_order_payment', args: { order_id: 'open', payment_method_id: 'pal' } };

  test('the retail shop restores the records before a write when the write is undone', () => {
    const shop = openShop();
    shop.execute(call(pay));
    const paid = shop.differences();
    shop.execute(call(cancel));
    shop.execute({ key: 'k', name: 'undo', args: { receipt: 1 } });
    expect(shop.differences()).toEqual(paid);
  });

  test.each([
    { honoursKeys: true, isAccepted: true, executed: 1 },
    { honoursKeys: false, isAccepted: false, executed: 2 },
  ])('the retail shop executes a repeated call $executed times if it honors idempotency keys: $honoursKeys', (row) => {
    const shop = openShop(row.honoursKeys);
    shop.execute(call(cancel));
    expect(shop.execute(call(cancel)).isAccepted).toBe(row.isAccepted);
    expect(shop.log).toHaveLength(row.executed);
  });
});
