import { findAmount } from './find-amount.ts';
import type { FoundAmount } from './find-amount.ts';
import { detectLanguage } from './language.ts';
import type { Language } from './language.ts';
import type { Ticket } from './prompt.ts';

export interface Classification {
  readonly intent: 'refund' | 'other';
  readonly orderNumbers: readonly string[];
  readonly amount: number | null;
  readonly currency: string | null;
  readonly language: Language;
  readonly summary: string;
}

/* cspell:disable */
const REFUND_WORDS = /refund|reimburse|money back|erstatt|geld zurück|reembols|devolución|rembours|返金/i;

/** Phrases that mention refunds without a request. */
const NO_REQUEST =
  /refund policy|(?:no|not want a) refund|keine (?:rück)?erstattung|no quiero (?:el|un) reembolso|pas de remboursement/gi;
/* cspell:enable */

const ORDER_NUMBER = /\bA-\d{4}\b/gi;
const QUOTED = /"[^"]*"/g;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])|\n+/;
const MAX_SUMMARY = 100;

/** Classifies a ticket by words and patterns. */
export function classify({ subject, body }: Ticket): Classification {
  const text = `${subject}\n${body}`;
  const wish = text.replaceAll(NO_REQUEST, '');
  const asked = findAmountAsked(wish);
  return {
    intent: REFUND_WORDS.test(wish) ? 'refund' : 'other',
    orderNumbers: [...new Set((text.match(ORDER_NUMBER) ?? []).map((number) => number.toUpperCase()))],
    amount: asked?.amount ?? null,
    currency: asked?.currency ?? null,
    language: detectLanguage(text),
    summary: `The customer writes about: ${subject.slice(0, MAX_SUMMARY)}`,
  };
}

/** Finds an amount in a sentence that requests a refund, outside quotations. */
function findAmountAsked(text: string): FoundAmount | null {
  const sentences = text.replaceAll(QUOTED, '').split(SENTENCE_END);
  const amounts = sentences.filter((sentence) => REFUND_WORDS.test(sentence)).map(findAmount);
  return amounts.find((amount) => amount !== null) ?? null;
}
