import { describe, expect, test } from 'vitest';
import { failureReason, errorStatus } from '../../../../src/activities/models/failure-reason.ts';
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

  test.each([
    'Trying to keep the first 5312 tokens when context the overflows. The model is loaded with context length of only 4096 tokens, which is not enough.',
    'The number of tokens to keep is greater than the context length (n_keep: 5312>= n_ctx: 4096)',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
    'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000',
    'Your request exceeded model token limit: 131072',
    'invalid params, context window exceeds limit (2013)',
    'Input is too long for requested model.',
    'input length exceeds the context length',
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    'too many tokens: total number of tokens in the prompt cannot exceed 4081',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    'Range of input length should be [1, 30720]',
    'Please reduce the length of the messages or completion.',
    'Input tokens exceed the configured limit of 272000 tokens.',
    'prompt too long; exceeded max context length by 12 tokens',
    'The estimated number of input and maximum output tokens (90000) exceeded this model context window limit (80000).',
    'Request body too large for gpt-4o model. Max size: 8000 tokens.',
    'Prompt exceeds max length',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  ])('recognizes an overflow of the context in "%s"', (message) => {
    expect(failureReason(400, { message })).toBe('context_length_exceeded');
    expect(errorStatus({ message })).toBe(400);
  });

  test.each([
    [429, 'Too many tokens, please wait before trying again.'],
    [400, 'Request too large on tokens per min (TPM): Limit 6000, Requested 7000'],
    [400, 'max_tokens is too large: 100000. This model supports at most 4096 completion tokens'],
    [400, 'max_tokens must be <= 8192'],
    [400, 'The request took too long'],
    [400, 'messages.0: text content blocks must be non-empty'],
    [400, 'The context is missing a field'],
    [500, 'prompt is too long'],
  ])('finds none with %i in "%s"', (status, message) => {
    expect(failureReason(status, { message })).toBeNull();
  });

  test.each(['context_length_exceeded', 'ContextWindowExceededError', 'tokens_limit_reached', 'prompt_too_long'])(
    'recognizes the name %s',
    (name) => {
      expect(failureReason(400, { code: name })).toBe('context_length_exceeded');
      expect(failureReason(400, { type: name })).toBe('context_length_exceeded');
    },
  );

  test.each([
    'context length ',
    'prompt tokens ',
    'too long ',
    'exceed ',
    'rejected ',
    'input token count',
    'exceeds the ',
    'insufficient ',
  ])('takes hardly longer for a message that repeats "%s"', MEASURING, (words) => {
    const growth = growthOf((times) => {
      const message = words.repeat(times);
      return () => FIFTY.forEach(() => failureReason(400, { message }));
    }, 0.7);
    expect(growth).toBeLessThan(0.7);
  });
});
