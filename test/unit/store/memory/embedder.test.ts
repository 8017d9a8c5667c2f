import { expect, test } from 'vitest';
import { MAX_TEXT_BYTES, toEmbeddedText } from '../../../../src/store/memory/embedder.ts';

test.each([
  ['short', 'soup', 'soup'],
  ['long', 'x'.repeat(10_000), 'x'.repeat(MAX_TEXT_BYTES)],
  ['of multi-byte characters, truncated between two of them', `x${'€'.repeat(9_000)}`, `x${'€'.repeat(2_666)}`],
  ['of surrogate pairs, truncated between two of them', `x${'😀'.repeat(9_000)}`, `x${'😀'.repeat(1_999)}`],
])('a text that is %s is truncated to what an embedding model accepts', (_what, text, cut) => {
  expect(toEmbeddedText(text)).toBe(cut);
});
