import { describe, expect, test } from 'vitest';
import {
  estimateTokens,
  loadOpenAiCounter,
  measureModels,
} from '../../../../src/activities/context/estimate-tokens.ts';
import { createRandom } from '../../../support/builders/random.ts';
import { MEASURING, growthOf } from '../../../support/readers/growth.ts';

const TEXTS = {
  English: 'Please tell me where my order is; it should have arrived on Monday. '.repeat(5),
  German: 'Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung aller Gewalt.',
  Polish: 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.',
  Russian: 'Все люди рождаются свободными и равными в своем достоинстве и правах.',
  Arabic: 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.',
  Hindi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  Chinese: '人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。',
  Korean: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  emoji: '👍😀🎉👩‍👩‍👧🇩🇪',
  JSON: JSON.stringify({ order: 4711, items: [{ sku: 'A-1006', amount: 12.5 }], note: 'leave it at the door' }),
  TypeScript: `/** The larger of two amounts. */
export function largerAmount(first: Amount, second: Amount): Amount {
  if (first.currency !== second.currency) throw new TypeError('Different currencies');
  return first.value >= second.value ? first : second;
}`,
  Base64: Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 7919 + at * at) % 256)).toString('base64'),
  times: '2026-01-02T03:04:05.678Z 2026-01-02T03:04:06.001Z',
};

describe('estimateTokens', () => {
  test.each(Object.entries(TEXTS))('the estimate of tokens is at least the real number for %s', async (_name, text) => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(count(text));
  });

  test('the estimate of tokens is at most 1.5 times the real number for English', async () => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(estimateTokens(TEXTS.English)).toBeLessThan(1.5 * count(TEXTS.English));
  });

  test('the token estimate counts a Chinese character as more than a Latin letter', () => {
    expect(estimateTokens('天地玄黄')).toBeGreaterThan(2 * estimateTokens('word'));
  });

  test('the token estimate of an empty text is 0', () => {
    expect(estimateTokens('')).toBe(0);
  });
});

const TEXT = 'Please tell me where my order is.';

async function countedBy(model: Parameters<typeof measureModels>[0][string]): Promise<number | undefined> {
  const counter = await measureModels({ m: model }, { mine: () => 42 })['m']?.loadCounter();
  return counter?.(TEXT);
}

describe('measureModels', () => {
  test('tokens of a model are counted by the counter that its configuration names', async () => {
    expect(await countedBy({ provider: 'openai', model: 'gpt-4o', tokenCounter: 'mine' })).toBe(42);
  });

  test('tokens of an OpenAI model are counted by its tokenizer', async () => {
    const count = await loadOpenAiCounter('gpt-4');
    expect(await countedBy({ provider: 'openai', model: 'gpt-4' })).toBe(count(TEXT));
  });

  test.each(['anthropic', 'google', 'openai-compatible'] as const)(
    'tokens for the provider %s are estimated',
    async (provider) => {
      expect(await countedBy({ provider, model: 'gpt-4o' })).toBe(estimateTokens(TEXT));
    },
  );

  test('tokens are estimated for models that the user implements in code', async () => {
    expect(await countedBy({})).toBe(estimateTokens(TEXT));
  });

  test('the context window of a model is the configured one', () => {
    const measures = measureModels({ one: { contextWindow: 8_000 }, two: {} }, {});
    expect([measures['one']?.contextWindow, measures['two']?.contextWindow]).toEqual([8_000, null]);
  });
});

const LETTERS = Array.from('abcdefgh');
const HINDI = 'सभी मनुष्यों को गौरव';

describe('loadOpenAiCounter', () => {
  test.each([
    ['hello world', 2],
    ['', 0],
    ['Hello, world!', 4],
  ])('the OpenAI tokenizer counts %j', async (text, tokens) => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(count(text)).toBe(tokens);
  });

  test.each(['gpt-4', 'gpt-4-0613', 'gpt-4-turbo', 'gpt-3.5-turbo', 'ft:gpt-3.5-turbo:acme'])(
    'the OpenAI tokenizer uses the older encoding for %s',
    async (model) => {
      const [count, older] = [await loadOpenAiCounter(model), await loadOpenAiCounter('gpt-4')];
      expect(count(HINDI)).toBe(older(HINDI));
    },
  );

  test.each(['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-5', 'o3', 'ft:gpt-4o:acme', 'what-comes-next'])(
    'the OpenAI tokenizer uses the current encoding for %s',
    async (model) => {
      const [count, older] = [await loadOpenAiCounter(model), await loadOpenAiCounter('gpt-4')];
      expect(count(HINDI)).toBeLessThan(older(HINDI));
    },
  );

  test('the OpenAI tokenizer counts special tokens as plain text', async () => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('the OpenAI tokenizer takes linear time for text without spaces', MEASURING, async () => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(count('ab'.repeat(50_000))).toBeGreaterThan(10_000);
    // The tokenizer caches texts, so they must differ.
    const random = createRandom(1);
    const growth = growthOf((size) => {
      const text = Array.from({ length: 20 * size }, () => random.pick(LETTERS)).join('');
      return () => count(text);
    });
    expect(growth).toBeLessThan(1.5);
  });
});
