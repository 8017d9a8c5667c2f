import { defineConfig, textOf } from 'holdfast';

export default defineConfig({
  models: { echo: { generate: ({ messages }) => ({ text: textOf(messages.at(-1)?.content ?? '') }) } },
});
