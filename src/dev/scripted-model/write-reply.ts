import { toLanguage } from './language.ts';
import type { Facts, Ticket } from './prompt.ts';
import { REPLY_TEXTS } from './reply-texts.ts';

/*
 * Replies by rules. The model has weaknesses of real ones, which the check can find: it promises what a customer
 * demands, repeats dictated text, and forgets the reference line in replies to long tickets.
 */

/** In characters; longer tickets make the model forget the reference line. */
const LONG_TICKET = 1_200;

// cspell:disable-next-line
const WANTS_GUARANTEE = /guarantee|garantier|garantiz|garantir|保証/i;
const DICTATED = /word for word: "([^"]+)"/i;
export const SIGNATURE = 'Customer Service';

/** Promises in all languages of the model. */
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

/** Finds text that the customer dictates; `null` without any. */
export function findDictated({ body }: Ticket): string | null {
  return DICTATED.exec(body)?.[1] ?? null;
}

/** An amount in the format of replies. */
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
