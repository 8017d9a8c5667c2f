import { defineConfig } from 'holdfast';
import { checkHealth, deploy, postMessage, rollBack, runTests, scanImage } from './tools.ts';

export default defineConfig({
  models: { default: { provider: 'openai', model: 'gpt-5-mini', apiKey: { secret: 'OPENAI_API_KEY' } } },
  tools: [runTests, scanImage, deploy, rollBack, checkHealth, postMessage],
});
