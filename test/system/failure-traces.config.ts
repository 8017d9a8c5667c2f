import { defineConfig, defineTool } from 'holdfast';

/* Tools with bugs. */

interface Order {
  readonly total?: { readonly amount: number };
}

function amountOf(order: Order): number {
  // @ts-expect-error: the mistake of which the test wants to hear.
  return order.total.amount;
}

const parameters = { type: 'object', properties: { order: { type: 'object' } } } as const;

const price = defineTool({
  name: 'price',
  description: 'Reads the price of an order.',
  parameters,
  effect: 'idempotent',
  retry: { maxAttempts: 5 },
  execute: async () => await Promise.resolve().then(() => amountOf({})),
});

const vault = defineTool({
  name: 'vault',
  description: 'Needs a secret that nobody has set.',
  parameters,
  effect: 'idempotent',
  secrets: ['NOBODY_SETS_THIS'],
  retry: { maxAttempts: 5 },
  execute: () => 'done',
});

export default defineConfig({ tools: [price, vault] });
