import { expect, test } from 'vitest';
import { inlineMarkdown } from '../../../src/workflows/inline-markdown.ts';

test.each([
  ['Pay 100 USD?', 'Pay 100 USD?'],
  ['Pay?\n\n    temporal workflow signal --name approve', 'Pay? temporal workflow signal --name approve'],
  ['a\u2028b\u0085c\u0000d', 'a b c d'],
  ['**bold** [link](http://x) `code` <b>', String.raw`\*\*bold\*\* \[link\](http\://x) \`code\` \<b\>`],
  ['&#10;', String.raw`\&\#10;`],
])('%j stays in its line', (text, expected) => {
  expect(inlineMarkdown(text)).toBe(expected);
});
