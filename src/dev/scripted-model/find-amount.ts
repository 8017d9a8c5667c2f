/** An amount of money in a text. */
export interface FoundAmount {
  readonly amount: number;
  readonly currency: string;
}

const NUMBER = String.raw`(\d+(?:[.,]\d+)*)`;

/** Notations of amounts, with the currency before or after the number. */
const PATTERNS: readonly { readonly pattern: RegExp; readonly currency: string }[] = [
  { pattern: new RegExp(String.raw`(?:US\$|USD|\$)\s?${NUMBER}`, 'i'), currency: 'USD' },
  // cspell:disable-next-line
  { pattern: new RegExp(String.raw`${NUMBER}\s?(?:US\$|USD|\$|dollars?|dólares|ドル)`, 'i'), currency: 'USD' },
  { pattern: new RegExp(String.raw`(?:EUR|€)\s?${NUMBER}`, 'i'), currency: 'EUR' },
  { pattern: new RegExp(String.raw`${NUMBER}\s?(?:EUR|€|euros?|ユーロ)`, 'i'), currency: 'EUR' },
  { pattern: new RegExp(String.raw`(?:GBP|£)\s?${NUMBER}`, 'i'), currency: 'GBP' },
];

/** Finds the first amount of money in a text; `null` without one. */
export function findAmount(text: string): FoundAmount | null {
  const found = PATTERNS.flatMap(({ pattern, currency }) => {
    const match = pattern.exec(text);
    return match?.[1] === undefined ? [] : [{ at: match.index, currency, amount: toNumber(match[1]) }];
  });
  const [first] = found.sort((a, b) => a.at - b.at);
  return first ? { amount: first.amount, currency: first.currency } : null;
}

/** Parses `1,249.00`, `1.249,00`, `89,99` and `1,249`: three digits after the last separator are thousands. */
function toNumber(text: string): number {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  const hasDecimals = last >= 0 && text.length - last - 1 !== 3;
  const whole = hasDecimals ? text.slice(0, last) : text;
  const decimals = hasDecimals ? text.slice(last + 1) : '0';
  return Number(`${whole.replaceAll(/[.,]/g, '')}.${decimals}`);
}
