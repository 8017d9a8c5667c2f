import { defineConfig } from 'holdfast';
import { issueRefund, lookupOrder, readManual } from './tools.ts';

export default defineConfig({
  models: { default: { provider: 'openai', model: 'gpt-5-mini', apiKey: { secret: 'OPENAI_API_KEY' } } },
  tools: [lookupOrder, issueRefund, readManual],
});
