import { z } from 'zod';
import { toCents } from './calculate.ts';
import type { Item, Order, Payment, PaymentMethod, User, Variant } from './records.ts';
import { found, must, orderOf, productOf, userOf } from './stock.ts';
import type { Changes, Stock } from './stock.ts';

/* What each tool that changes the shop needs and does: the facts of τ²-bench's retail domain, built anew. */

/** @returns the changed records @throws Refusal, or ZodError for other arguments */
type Write = (stock: Stock, args: unknown) => Changes;

const PENDING = 'pending';
const REASONS: ReadonlySet<string> = new Set(['no longer needed', 'ordered by mistake']);

const OfOrder = z.object({ order_id: z.string() });
const OfPayment = OfOrder.extend({ payment_method_id: z.string() });
const OfItems = OfPayment.extend({ item_ids: z.array(z.string()) });
const OfSwap = OfItems.extend({ new_item_ids: z.array(z.string()) });
const Place = z.object({
  address1: z.string(),
  address2: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  zip: z.string(),
});

export const WRITES = {
  cancel_pending_order(stock, args) {
    const { order_id, reason } = OfOrder.extend({ reason: z.string() }).parse(args);
    const order = orderOf(stock, order_id);
    must(order.status === PENDING, 'Non-pending order cannot be canceled');
    must(REASONS.has(reason), 'Invalid reason');
    const refunds = order.payment_history.map((payment): Payment => ({ ...payment, transaction_type: 'refund' }));
    const payment_history = [...order.payment_history, ...refunds];
    const user = refunds.reduce(
      (user, { payment_method_id, amount }) => credit(user, payment_method_id, amount),
      userOf(stock, order.user_id),
    );
    return changes({ ...order, payment_history, status: 'cancelled', cancel_reason: reason }, user);
  },

  exchange_delivered_order_items(stock, args) {
    const swap = OfSwap.parse(args);
    const order = orderOf(stock, swap.order_id);
    must(order.status === 'delivered', 'Non-delivered order cannot be exchanged');
    const { difference } = planSwap(stock, order, swap);
    methodFor(userOf(stock, order.user_id), swap.payment_method_id, difference);
    return changes({
      ...order,
      status: 'exchange requested',
      exchange_items: swap.item_ids.toSorted(),
      exchange_new_items: swap.new_item_ids.toSorted(),
      exchange_payment_method_id: swap.payment_method_id,
      exchange_price_difference: toCents(difference),
    });
  },

  return_delivered_order_items(stock, args) {
    const { order_id, item_ids, payment_method_id } = OfItems.parse(args);
    const order = orderOf(stock, order_id);
    must(order.status === 'delivered', 'Non-delivered order cannot be returned');
    const { source } = methodFor(userOf(stock, order.user_id), payment_method_id, 0);
    const isOriginal = order.payment_history[0]?.payment_method_id === payment_method_id;
    must(source === 'gift_card' || isOriginal, 'Payment method should be the original payment method');
    itemsOf(order, item_ids);
    return changes({
      ...order,
      status: 'return requested',
      return_items: item_ids.toSorted(),
      return_payment_method_id: payment_method_id,
    });
  },

  modify_pending_order_items(stock, args) {
    const swap = OfSwap.parse(args);
    const order = orderOf(stock, swap.order_id);
    must(order.status === PENDING, 'Non-pending order cannot be modified');
    must(
      swap.item_ids.every((id, at) => id !== swap.new_item_ids[at]),
      'The new item id should be different from the old item id',
    );
    const { difference, last } = planSwap(stock, order, swap);
    const user = userOf(stock, order.user_id);
    methodFor(user, swap.payment_method_id, difference);
    const payment: Payment = {
      transaction_type: difference > 0 ? 'payment' : 'refund',
      amount: Math.abs(difference),
      payment_method_id: swap.payment_method_id,
    };
    const modified = {
      ...order,
      items: replaceItems(order.items, swap, last),
      payment_history: [...order.payment_history, payment],
      status: 'pending (item modified)',
    };
    return changes(modified, credit(user, swap.payment_method_id, -difference));
  },

  modify_pending_order_payment(stock, args) {
    const { order_id, payment_method_id } = OfPayment.parse(args);
    const order = orderOf(stock, order_id);
    must(order.status.includes(PENDING), 'Non-pending order cannot be modified');
    const [first, ...more] = order.payment_history;
    const paid = found(
      more.length === 0 ? first : undefined,
      'There should be exactly one payment for a pending order',
    );
    must(paid.transaction_type === 'payment', 'There should be exactly one payment for a pending order');
    must(paid.payment_method_id !== payment_method_id, 'The new payment method should be different');
    const user = userOf(stock, order.user_id);
    methodFor(user, payment_method_id, paid.amount);
    const { amount } = paid;
    const payment_history: Payment[] = [
      paid,
      { transaction_type: 'payment', amount, payment_method_id },
      { transaction_type: 'refund', amount, payment_method_id: paid.payment_method_id },
    ];
    const charged = credit(user, payment_method_id, -amount);
    return changes({ ...order, payment_history }, credit(charged, paid.payment_method_id, amount));
  },

  modify_pending_order_address(stock, args) {
    const { order_id, ...address } = OfOrder.extend(Place.shape).parse(args);
    const order = orderOf(stock, order_id);
    must(order.status.includes(PENDING), 'Non-pending order cannot be modified');
    return changes({ ...order, address });
  },

  modify_user_address(stock, args) {
    const { user_id, ...address } = Place.extend({ user_id: z.string() }).parse(args);
    return { orders: {}, users: { [user_id]: { ...userOf(stock, user_id), address } } };
  },
} as const satisfies Readonly<Record<string, Write>>;

export type WriteName = keyof typeof WRITES;

function changes(order: Order, user?: User): Changes {
  return { orders: { [order.order_id]: order }, users: user ? { [user.user_id]: user } : {} };
}

/** Adds an amount to a gift card; other methods keep no balance. */
function credit(user: User, methodId: string, amount: number): User {
  const method = user.payment_methods[methodId];
  if (method?.source !== 'gift_card') return user;
  const balance = toCents(method.balance + amount);
  return { ...user, payment_methods: { ...user.payment_methods, [methodId]: { ...method, balance } } };
}

/** Returns the user's own method, which can pay the amount. */
function methodFor(user: User, methodId: string, amount: number): PaymentMethod {
  const method = found(user.payment_methods[methodId], 'Payment method not found');
  must(method.source !== 'gift_card' || method.balance >= amount, 'Insufficient gift card balance');
  return method;
}

/** The items of an order with these ids, each as often as it is named. */
function itemsOf(order: Order, itemIds: readonly string[]): readonly Item[] {
  const left = [...order.items];
  return itemIds.map((id) => {
    const index = left.findIndex((item) => item.item_id === id);
    const [item] = index < 0 ? [] : left.splice(index, 1);
    return found(item, `Item ${id} not found`);
  });
}

type Swap = Pick<z.output<typeof OfSwap>, 'item_ids' | 'new_item_ids'>;

interface SwapPlan {
  /** The price of the new items less that of the old ones, not rounded, as the original has it in payments. */
  readonly difference: number;
  readonly last: Variant | null;
}

function planSwap(stock: Stock, order: Order, { item_ids, new_item_ids }: Swap): SwapPlan {
  must(item_ids.length === new_item_ids.length, 'The number of items to be exchanged should match');
  const pairs = itemsOf(order, item_ids).map((item, at) => {
    const id = new_item_ids[at] ?? '';
    const variant = found(productOf(stock, item.product_id).variants[id], `New item ${id} not found`);
    must(variant.available, `New item ${id} not available`);
    return { item, variant };
  });
  const difference = pairs.reduce((sum, { item, variant }) => sum + (variant.price - item.price), 0);
  return { difference, last: pairs.at(-1)?.variant ?? null };
}

/** As the original does it, each replaced item gets price and options of the last new one. */
function replaceItems(items: readonly Item[], { item_ids, new_item_ids }: Swap, last: Variant | null): Item[] {
  return item_ids.reduce<Item[]>(
    (replaced, id, at) => {
      const index = replaced.findIndex((item) => item.item_id === id);
      const item = replaced[index];
      if (!item || !last) return replaced;
      const { price, options } = last;
      return replaced.with(index, { ...item, item_id: new_item_ids[at] ?? '', price, options });
    },
    [...items],
  );
}
