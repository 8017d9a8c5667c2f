import { isMembers } from '../../form/fields-of.ts';

/** The arguments that tell most of a decision come first: how much, of whom, of what. */
const TELLING = [
  /amount|total|price|sum|value/i,
  /currency/i,
  /customer|account|recipient|payee|^to$|email/i,
  /order|invoice|id$/i,
];

const MOST = 3;
const MAX_LENGTH = 40;

/** Gives the arguments by which people tell approvals apart, as `name value`: short ones, and few of them. */
export function mainArguments(args: unknown): readonly string[] {
  if (!isMembers(args)) return [];
  const short = Object.entries(args).flatMap(([name, value]) => {
    const text = shortText(value);
    return text === null ? [] : [{ name, text, rank: rankOf(name) }];
  });
  return short
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ name, text }) => `${name} ${text}`);
}

function rankOf(name: string): number {
  const rank = TELLING.findIndex((pattern) => pattern.test(name));
  return rank === -1 ? TELLING.length : rank;
}

function shortText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value === '') return null;
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
}
