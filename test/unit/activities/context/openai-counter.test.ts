import { describe, expect, test } from 'vitest';
import { loadOpenAiCounter } from '../../../../src/activities/context/openai-counter.ts';
import { createRandom } from '../../../support/builders/random.ts';
import { MEASURING, growthOf } from '../../../support/readers/growth.ts';

const LETTERS = Array.from('abcdefgh');
const HINDI = 'सभी मनुष्यों को गौरव';

describe('loadOpenAiCounter', () => {
  test.each([
    ['hello world', 2],
    ['', 0],
    ['Hello, world!', 4],
  ])('counts %j', async (text, tokens) => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(count(text)).toBe(tokens);
  });

  test.each(['gpt-4', 'gpt-4-0613', 'gpt-4-turbo', 'gpt-3.5-turbo', 'ft:gpt-3.5-turbo:acme'])(
    '%s has the older encoding',
    async (model) => {
      const [count, older] = [await loadOpenAiCounter(model), await loadOpenAiCounter('gpt-4')];
      expect(count(HINDI)).toBe(older(HINDI));
    },
  );

  test.each(['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-5', 'o3', 'ft:gpt-4o:acme', 'what-comes-next'])(
    '%s has the present encoding',
    async (model) => {
      const [count, older] = [await loadOpenAiCounter(model), await loadOpenAiCounter('gpt-4')];
      expect(count(HINDI)).toBeLessThan(older(HINDI));
    },
  );

  test('takes special tokens for the text that they are', async () => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('takes linear time for text without spaces', MEASURING, async () => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(count('ab'.repeat(50_000))).toBeGreaterThan(10_000);
    // The tokenizer remembers texts.
    const random = createRandom(1);
    const growth = growthOf((size) => {
      const text = Array.from({ length: 20 * size }, () => random.pick(LETTERS)).join('');
      return () => count(text);
    });
    expect(growth).toBeLessThan(1.5);
  });
});
