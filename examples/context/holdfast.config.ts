import { defineConfig, textOf } from 'holdfast';

export default defineConfig({
  models: {
    default: { provider: 'anthropic', model: 'claude-sonnet-4-5', contextWindow: 200_000, tokenCounter: 'cautious' },
  },
  messageProcessors: {
    'without-reasoning': (messages, { maxTokens, count }) =>
      count(messages) <= maxTokens
        ? messages
        : messages.map((message) =>
            message.role === 'assistant'
              ? { ...message, content: textOf(message.content).replace(/<think>.*?<\/think>/s, '') }
              : message,
          ),
  },
  tokenCounters: { cautious: (text) => text.length / 2 },
});
