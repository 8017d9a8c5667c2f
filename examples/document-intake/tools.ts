import { defineTool } from 'holdfast';
import { z } from 'zod';

const entries = new Map<string, string>();

/** An invoice has one entry: supplier and number identify it, so filing it again changes nothing. */
export const fileInvoice = defineTool({
  name: 'file_invoice',
  description: 'Files an invoice in the books.',
  parameters: z.object({ supplier: z.string(), number: z.string(), euros: z.number() }),
  effect: 'idempotent',
  execute({ supplier, number }) {
    const key = `${supplier} ${number}`;
    const entry = entries.get(key) ?? `E-${entries.size + 1}`;
    entries.set(key, entry);
    return { entry };
  },
});
