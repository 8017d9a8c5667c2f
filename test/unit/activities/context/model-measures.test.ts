import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../../src/activities/context/estimate-tokens.ts';
import { measureModels } from '../../../../src/activities/context/model-measures.ts';
import { loadOpenAiCounter } from '../../../../src/activities/context/openai-counter.ts';

const TEXT = 'Please tell me where my order is.';

async function countedBy(model: Parameters<typeof measureModels>[0][string]): Promise<number | undefined> {
  const counter = await measureModels({ m: model }, { mine: () => 42 })['m']?.loadCounter();
  return counter?.(TEXT);
}

describe('measureModels', () => {
  test('takes the counter that a model names', async () => {
    expect(await countedBy({ provider: 'openai', model: 'gpt-4o', tokenCounter: 'mine' })).toBe(42);
  });

  test('takes the tokenizer of a model of OpenAI', async () => {
    const count = await loadOpenAiCounter('gpt-4');
    expect(await countedBy({ provider: 'openai', model: 'gpt-4' })).toBe(count(TEXT));
  });

  test.each(['anthropic', 'google', 'openai-compatible'] as const)('estimates for %s', async (provider) => {
    expect(await countedBy({ provider, model: 'gpt-4o' })).toBe(estimateTokens(TEXT));
  });

  test('estimates for code', async () => {
    expect(await countedBy({})).toBe(estimateTokens(TEXT));
  });

  test('knows the window that is configured', () => {
    const measures = measureModels({ one: { contextWindow: 8_000 }, two: {} }, {});
    expect([measures['one']?.contextWindow, measures['two']?.contextWindow]).toEqual([8_000, null]);
  });
});
