import { z } from 'zod';

/** An amount of money as the API carries it: a positive number with at most two decimals. */
export const AmountSchema = z
  .number()
  .positive()
  .max(1_000_000)
  .refine((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6, 'must not have more than two decimals');

/** The API's amount as the tables keep it. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

/** The tables' amount as the API shows it. */
export function fromCents(cents: number): number {
  return cents / 100;
}
