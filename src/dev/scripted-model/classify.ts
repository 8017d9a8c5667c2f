import type { PromptTicket } from './prompt.ts';

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
const NO_REFUND_REQUEST =
  /refund policy|(?:no|not want a) refund|keine (?:rück)?erstattung|no quiero (?:el|un) reembolso|pas de remboursement/gi;
/* cspell:enable */

const ORDER_NUMBER = /\bA-\d{4}\b/gi;
const QUOTED = /"[^"]*"/g;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])|\n+/;
const MAX_TICKET_SUMMARY = 100;

/** Classifies a ticket by words and patterns. */
export function classifyTicket({ subject, body }: PromptTicket): Classification {
  const text = `${subject}\n${body}`;
  const wish = text.replaceAll(NO_REFUND_REQUEST, '');
  const asked = findAmountAsked(wish);
  return {
    intent: REFUND_WORDS.test(wish) ? 'refund' : 'other',
    orderNumbers: [...new Set((text.match(ORDER_NUMBER) ?? []).map((number) => number.toUpperCase()))],
    amount: asked?.amount ?? null,
    currency: asked?.currency ?? null,
    language: detectLanguage(text),
    summary: `The customer writes about: ${subject.slice(0, MAX_TICKET_SUMMARY)}`,
  };
}

/** Finds an amount in a sentence that requests a refund, outside quotations. */
function findAmountAsked(text: string): FoundAmount | null {
  const sentences = text.replaceAll(QUOTED, '').split(SENTENCE_END);
  const amounts = sentences.filter((sentence) => REFUND_WORDS.test(sentence)).map(findAmount);
  return amounts.find((amount) => amount !== null) ?? null;
}

/** An amount of money in a text. */
export interface FoundAmount {
  readonly amount: number;
  readonly currency: string;
}

const AMOUNT_PATTERN = String.raw`(\d+(?:[.,]\d+)*)`;

/** Notations of amounts, with the currency before or after the number. */
const PATTERNS: readonly { readonly pattern: RegExp; readonly currency: string }[] = [
  { pattern: new RegExp(String.raw`(?:US\$|USD|\$)\s?${AMOUNT_PATTERN}`, 'i'), currency: 'USD' },
  // cspell:disable-next-line
  { pattern: new RegExp(String.raw`${AMOUNT_PATTERN}\s?(?:US\$|USD|\$|dollars?|dólares|ドル)`, 'i'), currency: 'USD' },
  { pattern: new RegExp(String.raw`(?:EUR|€)\s?${AMOUNT_PATTERN}`, 'i'), currency: 'EUR' },
  { pattern: new RegExp(String.raw`${AMOUNT_PATTERN}\s?(?:EUR|€|euros?|ユーロ)`, 'i'), currency: 'EUR' },
  { pattern: new RegExp(String.raw`(?:GBP|£)\s?${AMOUNT_PATTERN}`, 'i'), currency: 'GBP' },
];

/** Finds the first amount of money in a text; `null` without one. */
export function findAmount(text: string): FoundAmount | null {
  const found = PATTERNS.flatMap(({ pattern, currency }) => {
    const match = pattern.exec(text);
    return match?.[1] === undefined ? [] : [{ at: match.index, currency, amount: parseAmount(match[1]) }];
  });
  const [first] = found.sort((a, b) => a.at - b.at);
  return first ? { amount: first.amount, currency: first.currency } : null;
}

/** Parses `1,249.00`, `1.249,00`, `89,99` and `1,249`: three digits after the last separator are thousands. */
function parseAmount(text: string): number {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  const hasDecimals = last >= 0 && text.length - last - 1 !== 3;
  const whole = hasDecimals ? text.slice(0, last) : text;
  const decimals = hasDecimals ? text.slice(last + 1) : '0';
  return Number(`${whole.replaceAll(/[.,]/g, '')}.${decimals}`);
}

/** Languages of the scripted model, as ISO 639-1 codes. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/* cspell:disable */
const COMMON_WORDS: Readonly<Record<Exclude<Language, 'ja'>, string>> = {
  en: 'the and is it you my me to of i not please would order want',
  de: 'der die das und ist ich nicht bitte mit aus zurück bestellung guten möchte sie war keine',
  es: 'el la los hola quiero por favor pedido gracias me ya con llegó',
  fr: 'je la le les de vous bonjour commande merci est pas pour votre jamais',
};
/* cspell:enable */

const JAPANESE = /[\u3040-\u30FF]/;

/** Guesses a text's language by its most common words; English by default. */
function detectLanguage(text: string): Language {
  if (JAPANESE.test(text)) return 'ja';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = Object.entries(COMMON_WORDS).map(([language, common]) => {
    const known = new Set(common.split(' '));
    return { language, score: words.filter((word) => known.has(word)).length };
  });
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  return supportedLanguage(best.language);
}

/** Returns a supported language; English for all others. */
export function supportedLanguage(code: string): Language {
  return LANGUAGES.find((language) => language === code) ?? 'en';
}
