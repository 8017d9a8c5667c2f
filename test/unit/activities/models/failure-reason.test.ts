import { describe, expect, test } from 'vitest';
import { failureReason } from '../../../../src/activities/models/failure-reason.ts';
import { MEASURING, growthOf } from '../../../support/readers/growth.ts';

/** Enough repetitions for a measurement. */
const FIFTY = Array.from({ length: 50 });

describe('failureReason', () => {
  test.each([
    ['Your request was rejected as a result of our safety system.', 'content_filter'],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed.', 'context_length_exceeded'],
    [`Prompt is too long. ${'x'.repeat(1_000_000)}`, 'context_length_exceeded'],
    [`rejected${' '.repeat(200)}safety system`, null],
    ['Something else', null],
  ])('finds the reason in the text %.80s', (message, reason) => {
    expect(failureReason(400, { message })).toBe(reason);
  });

  test.each(['rejected ', 'input token count', 'exceeds the ', 'insufficient '])(
    'takes hardly longer for a message that repeats "%s"',
    MEASURING,
    (words) => {
      const growth = growthOf((times) => {
        const message = words.repeat(times);
        return () => FIFTY.forEach(() => failureReason(400, { message }));
      }, 0.7);
      expect(growth).toBeLessThan(0.7);
    },
  );
});
