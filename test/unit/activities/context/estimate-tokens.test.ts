import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../../src/activities/context/estimate-tokens.ts';
import { loadOpenAiCounter } from '../../../../src/activities/context/openai-counter.ts';

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
  test.each(Object.entries(TEXTS))('is not below the real number for %s', async (_name, text) => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(count(text));
  });

  test('is at most half again as much for English', async () => {
    const count = await loadOpenAiCounter('gpt-4o');
    expect(estimateTokens(TEXTS.English)).toBeLessThan(1.5 * count(TEXTS.English));
  });

  test('costs more for a Chinese character than for a Latin letter', () => {
    expect(estimateTokens('天地玄黄')).toBeGreaterThan(2 * estimateTokens('word'));
  });

  test('is nothing for no text', () => {
    expect(estimateTokens('')).toBe(0);
  });
});
