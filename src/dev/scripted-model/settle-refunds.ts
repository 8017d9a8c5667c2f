import { z } from 'zod';
import type { Json } from '../../graph/values/index.ts';
import type { AnsweredCall, AskedCall, Conversation } from './prompt.ts';
import { toAmountText } from './write-reply.ts';

/*
 * An agent by rules: it looks up the orders that are named, pays back what is left of each, and says what came of it.
 */

const LOOKUP = 'lookup_order';
const REFUND = 'issue_refund';
const ORDER_NUMBER = /\bA-\d{4}\b/g;

const OrderSchema = z.object({ item: z.string(), total: z.number(), refunded: z.number(), currency: z.string() });
const FoundSchema = z.object({ orders: z.tuple([OrderSchema]) });
type Order = z.output<typeof OrderSchema>;
const RefundSchema = z.looseObject({ amount: z.number() });

/** The calls that come next: of orders that are not known yet, else refunds that were not asked for yet. */
export function refundCalls(conversation: Conversation): readonly AskedCall[] {
  const { tools } = conversation;
  const orders = ordersIn(conversation);
  const unknown = orders.filter((number) => !lookupOf(conversation, number));
  if (unknown.length > 0) return tools.includes(LOOKUP) ? unknown.map((number) => ask(LOOKUP, { number })) : [];
  if (!tools.includes(REFUND)) return [];
  return orders.flatMap((number) => {
    const left = leftOf(orderOf(conversation, number));
    if (left === 0 || refundOf(conversation, number)) return [];
    return [ask(REFUND, { order: number, amount: left, reason: 'asked for by the customer' })];
  });
}

/** What came of each order, a line each. */
export function reportRefunds(conversation: Conversation): string {
  const lines = ordersIn(conversation).map((number) => `${number}: ${outcomeOf(conversation, number)}`);
  return lines.length === 0 ? 'Which order is it? Its number is like A-1001.' : lines.join('\n');
}

function ask(name: string, args: Json): AskedCall {
  return { name, args };
}

function ordersIn({ user }: Conversation): readonly string[] {
  return [...new Set(user.match(ORDER_NUMBER))];
}

function lookupOf(conversation: Conversation, number: string): AnsweredCall | undefined {
  return answered(conversation, LOOKUP, { number });
}

function refundOf(conversation: Conversation, order: string): AnsweredCall | undefined {
  return answered(conversation, REFUND, { order });
}

function answered(
  { calls }: Conversation,
  name: string,
  wanted: Readonly<Record<string, Json>>,
): AnsweredCall | undefined {
  const entries = Object.entries(wanted);
  return calls.find((call) => call.name === name && entries.every(([key, value]) => call.args[key] === value));
}

function orderOf(conversation: Conversation, number: string): Order | null {
  const found = FoundSchema.safeParse(parsed(lookupOf(conversation, number)?.answer ?? ''));
  return found.success ? found.data.orders[0] : null;
}

function leftOf(order: Order | null): number {
  return order ? Math.round((order.total - order.refunded) * 100) / 100 : 0;
}

function outcomeOf(conversation: Conversation, number: string): string {
  const order = orderOf(conversation, number);
  if (!order) return 'I can not find this order.';
  const refund = refundOf(conversation, number);
  if (!refund) return leftOf(order) === 0 ? 'it has been paid back before.' : 'I have paid nothing back.';
  const made = RefundSchema.safeParse(parsed(refund.answer));
  return made.success
    ? `${toAmountText(made.data.amount)} ${order.currency} paid back.`
    : `nothing paid back. ${refund.answer}`;
}

/** The JSON that an answer begins with: a line below it may say that the arguments were changed. */
function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer.split('\n')[0] ?? '');
  } catch {
    return null;
  }
}
