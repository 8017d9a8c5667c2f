import { defineTool } from 'holdfast';
import { z } from 'zod';

export const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Finds an order by its number',
  parameters: z.object({ order: z.string() }),
  effect: 'idempotent',
  execute: async ({ order }) => await ask(`orders/${order}`, { method: 'GET' }),
});

export const issueRefund = defineTool({
  name: 'issue_refund',
  description: 'Pays an amount back',
  parameters: z.object({ order: z.string(), euros: z.number().positive() }),
  effect: 'keyed',
  execute: async ({ order, euros }, { key }) =>
    await ask(`orders/${order}/refunds`, {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: JSON.stringify({ euros }),
    }),
});

async function ask(path: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(`https://shop.example/${path}`, init);
  return await response.json();
}
