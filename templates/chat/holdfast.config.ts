import { defineConfig, textOf } from 'holdfast';
import type { MessageContent } from 'holdfast';
import { bookTrip, weather } from './tools/travel-tools.ts';

/** A real model if there is an API key for one, else a model that only repeats its input. */
function chooseModel() {
  if (process.env['OPENAI_API_KEY'])
    return { provider: 'openai', model: 'gpt-5-mini', apiKey: { secret: 'OPENAI_API_KEY' } } as const;
  if (process.env['ANTHROPIC_API_KEY'])
    return { provider: 'anthropic', model: 'claude-haiku-4-5', apiKey: { secret: 'ANTHROPIC_API_KEY' } } as const;
  return {
    generate: ({ messages }: { messages: readonly { content: MessageContent }[] }) => ({
      text: `You said: ${textOf(messages.at(-1)?.content ?? '')}`,
    }),
  };
}

export default defineConfig({
  models: { default: chooseModel() },
  tools: [weather, bookTrip],
  graphs: './graphs',
});
