import { z } from 'zod';
import type { Json } from '../../graph/values/index.ts';
import type { AnsweredCall, ScriptedCall, ScriptedConversation } from './prompt.ts';
import { toAmountText } from './write-reply.ts';

/*
 * An agent by rules: it looks up the orders that the user names, refunds what is left of each, and reports the results.
 */

const LOOKUP = 'lookup_order';
const REFUND = 'issue_refund';
const ORDER_NUMBER = /\bA-\d{4}\b/g;

const OrderSchema = z.object({ item: z.string(), total: z.number(), refunded: z.number(), currency: z.string() });
const FoundSchema = z.object({ orders: z.tuple([OrderSchema]) });
type Order = z.output<typeof OrderSchema>;
const RefundResultSchema = z.looseObject({ amount: z.number() });

/** The next calls: lookups of unknown orders, else missing refunds. */
export function refundCalls(conversation: ScriptedConversation): readonly ScriptedCall[] {
  const { tools } = conversation;
  const orders = orderNumbersIn(conversation);
  const unknown = orders.filter((number) => !findLookup(conversation, number));
  if (unknown.length > 0)
    return tools.includes(LOOKUP) ? unknown.map((number) => toRequestedCall(LOOKUP, { number })) : [];
  if (!tools.includes(REFUND)) return [];
  return orders.flatMap((number) => {
    const refundable = refundableAmount(readOrder(conversation, number));
    if (refundable === 0 || findRefund(conversation, number)) return [];
    return [toRequestedCall(REFUND, { order: number, amount: refundable, reason: 'asked for by the customer' })];
  });
}

/** Reports the result for each order, one line each. */
export function reportRefunds(conversation: ScriptedConversation): string {
  const lines = orderNumbersIn(conversation).map((number) => `${number}: ${reportOrder(conversation, number)}`);
  return lines.length === 0 ? 'Which order is it? Its number is like A-1001.' : lines.join('\n');
}

function toRequestedCall(name: string, args: Json): ScriptedCall {
  return { name, args };
}

function orderNumbersIn({ user }: ScriptedConversation): readonly string[] {
  return [...new Set(user.match(ORDER_NUMBER))];
}

function findLookup(conversation: ScriptedConversation, number: string): AnsweredCall | undefined {
  return findAnsweredCall(conversation, LOOKUP, { number });
}

function findRefund(conversation: ScriptedConversation, order: string): AnsweredCall | undefined {
  return findAnsweredCall(conversation, REFUND, { order });
}

function findAnsweredCall(
  { calls }: ScriptedConversation,
  name: string,
  required: Readonly<Record<string, Json>>,
): AnsweredCall | undefined {
  const entries = Object.entries(required);
  return calls.find((call) => call.name === name && entries.every(([key, value]) => call.args[key] === value));
}

function readOrder(conversation: ScriptedConversation, number: string): Order | null {
  const found = FoundSchema.safeParse(parseToolAnswer(findLookup(conversation, number)?.answer ?? ''));
  return found.success ? found.data.orders[0] : null;
}

function refundableAmount(order: Order | null): number {
  return order ? Math.round((order.total - order.refunded) * 100) / 100 : 0;
}

function reportOrder(conversation: ScriptedConversation, number: string): string {
  const order = readOrder(conversation, number);
  if (!order) return 'I can not find this order.';
  const refund = findRefund(conversation, number);
  if (!refund) return refundableAmount(order) === 0 ? 'it has been paid back before.' : 'I have paid nothing back.';
  const made = RefundResultSchema.safeParse(parseToolAnswer(refund.answer));
  return made.success
    ? `${toAmountText(made.data.amount)} ${order.currency} paid back.`
    : `nothing paid back. ${refund.answer}`;
}

/** Parses the first line of an answer; a second one may note that the arguments were changed. */
function parseToolAnswer(answer: string): unknown {
  try {
    return JSON.parse(answer.split('\n')[0] ?? '');
  } catch {
    return null;
  }
}
