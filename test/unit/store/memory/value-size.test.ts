import { expect, test } from 'vitest';
import { tooLargeForMemory } from '../../../../src/store/memory/memory.ts';

test('the size limit of a memory value counts the bytes of its JSON', () => {
  expect(tooLargeForMemory('x'.repeat(262_142))).toBeNull();
  expect(tooLargeForMemory('x'.repeat(262_143))).toBe('The value has more than 262144 bytes');
});
