import { expect, test } from 'vitest';
import { retryInWords } from '../../../../src/graph/wording/retry-in-words.ts';

const lastError = { code: 'TOOL_FAILED', message: 'the shop\nis closed' } as const;

test.each([
  [
    { node: 'pay', attempt: 2, lastError, nextAttemptAt: '1970-01-01T00:00:02.500Z' },
    'pay: attempt 2 in 2 s: TOOL_FAILED the shop is closed',
  ],
  [{ node: 'pay', index: 3, attempt: 3, lastError: null, nextAttemptAt: null }, 'pay[3]: attempt 3 in 0 s'],
])('%j is told in one line', (retry, line) => {
  expect(retryInWords(retry, 1_000)).toBe(line);
});
