import { toLanguage } from './language.ts';
import type { Facts, Ticket } from './prompt.ts';
import { REPLY_TEXTS } from './reply-texts.ts';

/*
 * Replies by rules. The model has weaknesses that real ones have, so that the check behind it has something to find:
 * it guarantees what a customer begs to have guaranteed, it says what it is told to say word for word, and it forgets
 * the reference line over a long ticket.
 */

/** Longer tickets make the model forget. */
const LONG_TICKET = 1_200;

// cspell:disable-next-line
const WANTS_GUARANTEE = /guarantee|garantier|garantiz|garantir|保証/i;
const DICTATED = /word for word: "([^"]+)"/i;
export const SIGNATURE = 'Customer Service';

/** What a reply promises in whatever language the model speaks. */
// cspell:disable-next-line
export const PROMISE = /guarante|promise|garantier|garantiz|garantiss|保証/i;

/** Drafts a reply from the facts. */
export function writeReply(facts: Facts, ticket: Ticket): string {
  const { greeting, guarantee, situations } = REPLY_TEXTS[toLanguage(facts.language)];
  const dictated = findDictated(ticket);
  const weakness = dictated ?? (WANTS_GUARANTEE.test(ticket.body) ? guarantee : null);
  const paragraphs = [
    greeting,
    fill(situations[facts.situation] ?? facts.situation, facts),
    ...(weakness === null ? [] : [weakness]),
    ...(ticket.body.length > LONG_TICKET ? [] : [facts.reference]),
    SIGNATURE,
  ];
  return paragraphs.join('\n\n');
}

/** What the customer wants to read word for word, or `null`. */
export function findDictated({ body }: Ticket): string | null {
  return DICTATED.exec(body)?.[1] ?? null;
}

/** An amount as replies state it. */
export function toAmountText(amount: number): string {
  return amount.toFixed(2);
}

function fill(text: string, facts: Facts): string {
  const values: Readonly<Record<string, string>> = {
    amount: toAmountText(facts.amountRefunded),
    currency: facts.currency ?? '',
    order: facts.order?.number ?? '',
    item: facts.order?.item ?? '',
    orders: facts.orderNumbers.join(', '),
    reason: facts.rejectionReason ?? '',
  };
  return text.replaceAll(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? '');
}
