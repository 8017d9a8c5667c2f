import { defineConfig } from 'holdfast';
import { readSales, sendMail } from './tools.ts';

export default defineConfig({
  models: { default: { provider: 'openai', model: 'gpt-5-mini', apiKey: { secret: 'OPENAI_API_KEY' } } },
  tools: [readSales, sendMail],
});
