import { z } from 'zod';

/** An amount of money in the API: positive, with at most two decimals. */
export const AmountSchema = z
  .number()
  .positive()
  .max(1_000_000)
  .refine((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6, 'must not have more than two decimals');

/** Converts an amount of the API to cents. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

/** Converts cents to an amount of the API. */
export function fromCents(cents: number): number {
  return cents / 100;
}
