import { CallError, defineTool } from 'holdfast';
import { z } from 'zod';

/* A shop in memory. */

const orders = new Map([
  ['A-1001', { item: 'Kettle', euros: 49 }],
  ['A-1002', { item: 'Desk', euros: 400 }],
]);
const receipts = new Map<string, string>();

export const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Finds an order by its number.',
  parameters: z.object({ order: z.string() }),
  effect: 'idempotent',
  execute({ order }) {
    const found = orders.get(order);
    if (!found) throw new CallError('TOOL_FAILED', `There is no order ${order}`, { retryable: false, done: 'no' });
    return found;
  },
});

/** A person decides about more than 100 euros. Calls with the same key make one refund. */
export const issueRefund = defineTool({
  name: 'issue_refund',
  description: 'Pays an amount back.',
  parameters: z.object({ order: z.string(), euros: z.number().positive() }),
  effect: 'keyed',
  approval: { when: 'args.euros > 100.0', policy: { roles: ['approver'], excludeRequester: true } },
  execute(_, { key }) {
    const receipt = receipts.get(key) ?? `R-${receipts.size + 1}`;
    receipts.set(key, receipt);
    return { receipt };
  },
});

export const readManual = defineTool({
  name: 'read_manual',
  description: 'The page of the manual about an item.',
  parameters: z.object({ item: z.string() }),
  effect: 'idempotent',
  execute: ({ item }) => ({ page: `${item}: if it does not switch on, press the button for three seconds.` }),
});
