import { CallError, defineTool } from 'holdfast';
import { z } from 'zod';

/* Tools of a shop with its data in memory. Your tools call a server instead. */

const orders = new Map([
  ['A-1001', { total: 79.5 }],
  ['A-1002', { total: 400 }],
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

/** Calls with the same key make one refund: a call with an unknown outcome is made again with its key. */
export const issueRefund = defineTool({
  name: 'issue_refund',
  description: 'Pays an amount back.',
  parameters: z.object({ order: z.string(), euros: z.number().positive() }),
  effect: 'keyed',
  execute({ order, euros }, { key, logger }) {
    const receipt = receipts.get(key) ?? `R-${receipts.size + 1}`;
    receipts.set(key, receipt);
    logger.info({ order, euros, receipt }, 'paid back');
    return { receipt };
  },
});
