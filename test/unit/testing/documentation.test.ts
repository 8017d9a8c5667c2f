import { expect, test } from 'vitest';
import { codeIn, readFile } from '../../support/readers/documentation.ts';

test('the code in docs/testing.md is that of the example, whose tests pass', () => {
  const blocks = codeIn('docs/testing.md', 'ts');
  const example = readFile('examples/testing/refund.test.ts');
  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(example).toContain(block.trimEnd());
});
