import { CallError, defineTool } from 'holdfast';
import { z } from 'zod';

/* A warehouse of data and a mail server, in memory. */

const sales: Readonly<Record<string, { readonly orders: number; readonly euros: number; readonly before: number }>> = {
  north: { orders: 120, euros: 8400, before: 8100 },
  south: { orders: 31, euros: 1900, before: 7600 },
  west: { orders: 95, euros: 6650, before: 6500 },
};

export const readSales = defineTool({
  name: 'read_sales',
  description: 'The sales of a region on a day.',
  parameters: z.object({ region: z.string(), day: z.iso.date() }),
  effect: 'idempotent',
  execute({ region }) {
    const found = sales[region];
    if (!found) throw new CallError('TOOL_FAILED', `There is no region ${region}`, { retryable: false, done: 'no' });
    return found;
  },
});

const sent = new Map<string, string>();

/** The mail server takes a key, so that a report which is sent again arrives once. */
export const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  parameters: z.object({ to: z.email(), subject: z.string(), text: z.string() }),
  effect: 'keyed',
  execute(_, { key }) {
    const id = sent.get(key) ?? `M-${sent.size + 1}`;
    sent.set(key, id);
    return { id };
  },
});
