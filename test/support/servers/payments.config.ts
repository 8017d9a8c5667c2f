import { defineConfig, defineTool } from 'holdfast';
import { z } from 'zod';

const charge = defineTool({
  name: 'charge',
  description: 'Charges an amount at the second attempt.',
  parameters: z.object({ euros: z.number() }),
  effect: 'keyed',
  taskQueue: 'payments',
  retry: { initialInterval: '100ms' },
  secrets: ['PAYMENTS_KEY'],
  execute({ euros }, { key, attempt, secret }) {
    const { length } = secret('PAYMENTS_KEY');
    if (attempt === 1) throw new Error('The bank is busy');
    return { euros, key, secretLength: length };
  },
});

const payOut = defineTool({
  name: 'pay_out',
  description: 'Pays an amount out.',
  parameters: z.object({ euros: z.number() }),
  effect: 'unsafe',
  taskQueue: 'payments',
  execute: ({ euros }) => ({ euros }),
});

export default defineConfig({ tools: [charge, payOut] });
