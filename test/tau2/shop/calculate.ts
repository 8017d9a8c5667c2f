import { Refusal } from './stock.ts';

/* Arithmetic: numbers, `+`, `-`, `*`, `/` and parentheses. */

type Operator = (left: number, right: number) => number;

/** The operators by precedence, the weakest first. */
const LEVELS: readonly Readonly<Record<string, Operator>>[] = [
  { '+': (left, right) => left + right, '-': (left, right) => left - right },
  { '*': (left, right) => left * right, '/': (left, right) => left / right },
];

/**
 * Calculates an expression.
 * @returns the value as text, rounded to two decimals
 * @throws Refusal if it is no arithmetic
 */
export function calculate(expression: string): string {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]|[^\s]/g) ?? [];
  const value = readLevel(tokens, 0);
  if (tokens.length > 0 || !Number.isFinite(value)) throw new Refusal('Invalid expression');
  return String(toCents(value));
}

/** Rounds an amount to two decimals. */
export function toCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** Consumes the tokens of one level of precedence, from left to right. */
function readLevel(tokens: string[], level: number): number {
  const operators = LEVELS[level];
  if (!operators) return readOperand(tokens);
  let value = readLevel(tokens, level + 1);
  for (let apply = operators[tokens[0] ?? '']; apply; apply = operators[tokens[0] ?? '']) {
    tokens.shift();
    value = apply(value, readLevel(tokens, level + 1));
  }
  return value;
}

function readOperand(tokens: string[]): number {
  const token = tokens.shift();
  if (token === '-') return -readOperand(tokens);
  if (token !== '(') return Number(token);
  const value = readLevel(tokens, 0);
  return tokens.shift() === ')' ? value : Number.NaN;
}
