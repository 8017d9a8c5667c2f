import type { JsonObject } from '../../src/graph/values/json.ts';
import type { ReadName } from './shop/reads.ts';
import type { WriteName } from './shop/writes.ts';

/* The tools of the shop, as a model is told of them. */

export interface ToolFacts {
  readonly description: string;
  /** JSON Schemas of the arguments, all of which are needed. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const address = { address1: text, address2: text, city: text, state: text, country: text, zip: text };
const swap = { order_id: text, item_ids: texts, new_item_ids: texts, payment_method_id: text };

export const READ_TOOLS: Readonly<Record<ReadName, ToolFacts>> = {
  find_user_id_by_email: { description: 'Find a user id by email.', parameters: { email: text } },
  find_user_id_by_name_zip: {
    description: 'Find a user id by first name, last name and zip code.',
    parameters: { first_name: text, last_name: text, zip: text },
  },
  get_user_details: { description: 'Get the profile and the orders of a user.', parameters: { user_id: text } },
  get_order_details: { description: 'Get the status and the details of an order.', parameters: { order_id: text } },
  get_product_details: { description: 'Get the variants of a product.', parameters: { product_id: text } },
  get_item_details: { description: 'Get the details of a variant.', parameters: { item_id: text } },
  list_all_product_types: { description: 'List the names and ids of all products.', parameters: {} },
  calculate: { description: 'Calculate an arithmetic expression.', parameters: { expression: text } },
  transfer_to_human_agents: { description: 'Transfer the user to a human agent.', parameters: { summary: text } },
};

export const WRITE_TOOLS: Readonly<Record<WriteName, ToolFacts>> = {
  cancel_pending_order: { description: 'Cancel a pending order.', parameters: { order_id: text, reason: text } },
  exchange_delivered_order_items: {
    description: 'Exchange items of a delivered order for others of the same products.',
    parameters: swap,
  },
  return_delivered_order_items: {
    description: 'Return items of a delivered order.',
    parameters: { order_id: text, item_ids: texts, payment_method_id: text },
  },
  modify_pending_order_items: {
    description: 'Replace items of a pending order by others of the same products.',
    parameters: swap,
  },
  modify_pending_order_payment: {
    description: 'Change the payment method of a pending order.',
    parameters: { order_id: text, payment_method_id: text },
  },
  modify_pending_order_address: {
    description: 'Change the shipping address of a pending order.',
    parameters: { order_id: text, ...address },
  },
  modify_user_address: {
    description: 'Change the default address of a user.',
    parameters: { user_id: text, ...address },
  },
};

/** The tool that compensates any write, by the receipt of that write. */
export const UNDO = 'undo';

export function isWrite(name: string): name is WriteName {
  return name in WRITE_TOOLS;
}

/** The name of the graph that makes a write and can undo it. */
export function undoableName(write: string): string {
  return `undoable-${write.replaceAll('_', '-')}`;
}
