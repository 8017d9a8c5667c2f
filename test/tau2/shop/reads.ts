import { z } from 'zod';
import { calculate } from './calculate.ts';
import { found, orderOf, productOf, userOf, usersOf, variantOf } from './stock.ts';
import type { Stock } from './stock.ts';

/* The tools that change nothing. */

/** @throws Refusal, or ZodError for other arguments */
type Read = (stock: Stock, args: unknown) => unknown;

const OfName = z.object({ first_name: z.string(), last_name: z.string(), zip: z.string() });
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

export const READS = {
  find_user_id_by_email(stock, args) {
    const { email } = z.object({ email: z.string() }).parse(args);
    return found(
      usersOf(stock).find((user) => isSame(user.email, email)),
      'User not found',
    ).user_id;
  },
  find_user_id_by_name_zip(stock, args) {
    const { first_name, last_name, zip } = OfName.parse(args);
    const user = usersOf(stock).find(
      ({ name, address }) =>
        isSame(name.first_name, first_name) && isSame(name.last_name, last_name) && address.zip === zip,
    );
    return found(user, 'User not found').user_id;
  },
  get_user_details: (stock, args) => userOf(stock, z.object({ user_id: z.string() }).parse(args).user_id),
  get_order_details: (stock, args) => orderOf(stock, z.object({ order_id: z.string() }).parse(args).order_id),
  get_product_details: (stock, args) => productOf(stock, z.object({ product_id: z.string() }).parse(args).product_id),
  get_item_details: (stock, args) => variantOf(stock, z.object({ item_id: z.string() }).parse(args).item_id),
  list_all_product_types: ({ begun }) =>
    Object.fromEntries(Object.values(begun.products).map(({ name, product_id }) => [name, product_id])),
  calculate: (_, args) => calculate(z.object({ expression: z.string() }).parse(args).expression),
  transfer_to_human_agents: () => 'Transfer successful',
} as const satisfies Readonly<Record<string, Read>>;

export type ReadName = keyof typeof READS;
