import { defineConfig } from 'holdfast';
import { signVoucher } from './define-tool.ts';
import { bookParcel } from './http-tool.ts';
import { LoyaltyTools } from './loyalty-tools.ts';

export default defineConfig({
  tools: [bookParcel, signVoucher, new LoyaltyTools(new Map([['ann', 120]]))],
});
