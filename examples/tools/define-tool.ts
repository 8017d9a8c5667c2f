import { createHmac } from 'node:crypto';
import { defineTool } from 'holdfast';
import { z } from 'zod';

export const signVoucher = defineTool({
  name: 'sign_voucher',
  description: 'A voucher code that the till accepts.',
  parameters: z.object({
    order: z.string().regex(/^A-\d+$/),
    euros: z.number().positive().max(50).default(5),
  }),
  effect: 'idempotent',
  secrets: ['VOUCHER_KEY'],
  taskQueue: 'vouchers',
  execute({ order, euros }, { secret, logger }) {
    const signature = createHmac('sha256', secret('VOUCHER_KEY')).update(`${order}:${euros}`);
    logger.info({ order, euros }, 'signed a voucher');
    return { order, euros, code: signature.digest('base64url').slice(0, 12) };
  },
});
