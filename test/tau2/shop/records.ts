import { z } from 'zod';

/* The records of a shop, as the files of τ²-bench have them. Amounts are in dollars. */

const AddressSchema = z.object({
  address1: z.string(),
  address2: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  zip: z.string(),
});

const OptionsSchema = z.record(z.string(), z.string());

const VariantSchema = z.object({
  item_id: z.string(),
  options: OptionsSchema,
  available: z.boolean(),
  price: z.number(),
});

const ProductSchema = z.object({
  name: z.string(),
  product_id: z.string(),
  variants: z.record(z.string(), VariantSchema),
});

const PaymentMethodSchema = z.discriminatedUnion('source', [
  z.object({ source: z.literal('gift_card'), id: z.string(), balance: z.number() }),
  z.object({ source: z.literal('paypal'), id: z.string() }),
  z.object({ source: z.literal('credit_card'), id: z.string(), brand: z.string(), last_four: z.string() }),
]);

const UserSchema = z.object({
  user_id: z.string(),
  name: z.object({ first_name: z.string(), last_name: z.string() }),
  address: AddressSchema,
  email: z.string(),
  payment_methods: z.record(z.string(), PaymentMethodSchema),
  orders: z.array(z.string()),
});

const ItemSchema = z.object({
  name: z.string(),
  product_id: z.string(),
  item_id: z.string(),
  price: z.number(),
  options: OptionsSchema,
});

const PaymentSchema = z.object({
  transaction_type: z.enum(['payment', 'refund']),
  amount: z.number(),
  payment_method_id: z.string(),
});

/** Strict, so that no field of an expected order is dropped unnoticed. */
const OrderSchema = z.strictObject({
  order_id: z.string(),
  user_id: z.string(),
  address: AddressSchema,
  items: z.array(ItemSchema),
  fulfillments: z.array(z.object({ tracking_id: z.array(z.string()), item_ids: z.array(z.string()) })),
  payment_history: z.array(PaymentSchema),
  status: z.string(),
  cancel_reason: z.string().optional(),
  exchange_items: z.array(z.string()).optional(),
  exchange_new_items: z.array(z.string()).optional(),
  exchange_payment_method_id: z.string().optional(),
  exchange_price_difference: z.number().optional(),
  return_items: z.array(z.string()).optional(),
  return_payment_method_id: z.string().optional(),
});

/** The whole content of a shop, each kind of record by its id. */
export const RecordsSchema = z.object({
  products: z.record(z.string(), ProductSchema),
  users: z.record(z.string(), UserSchema),
  orders: z.record(z.string(), OrderSchema),
});

/** The changed records of a shop, whole; a kind without changes may be absent. */
export const ChangedSchema = z.object({
  users: RecordsSchema.shape.users.default({}),
  orders: RecordsSchema.shape.orders.default({}),
});

export type Records = z.output<typeof RecordsSchema>;
export type User = z.output<typeof UserSchema>;
export type Order = z.output<typeof OrderSchema>;
export type Item = z.output<typeof ItemSchema>;
export type Payment = z.output<typeof PaymentSchema>;
export type PaymentMethod = z.output<typeof PaymentMethodSchema>;
export type Variant = z.output<typeof VariantSchema>;
export type Product = z.output<typeof ProductSchema>;
