import { defineConfig } from 'holdfast';
import { issueRefund, lookupOrder } from './tools/refund-tools.ts';

export default defineConfig({ tools: [lookupOrder, issueRefund], graphs: './graphs' });
