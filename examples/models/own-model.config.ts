import { defineConfig } from 'holdfast';

export default defineConfig({
  models: { echo: { generate: ({ messages }) => ({ text: messages.at(-1)?.content ?? '' }) } },
});
