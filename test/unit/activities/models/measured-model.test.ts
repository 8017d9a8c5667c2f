import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { measuredModel } from '../../../../src/activities/models/own-model.ts';
import { measureWith, readMetrics } from '../../../../src/telemetry/metrics/meter.ts';
import { aModelContext, aModelQuestion } from '../../../support/builders/call-builders.ts';

let goBack: () => void;
beforeEach(() => {
  goBack = measureWith({});
});
afterEach(() => goBack());

const ask = measuredModel(
  async () => {
    const usage = { inputTokens: 12, outputTokens: 3 };
    throw new CallError('MODEL_FAILED', 'no use', { retryable: true, done: 'perhaps', usage });
  },
  { provider: 'google', model: 'm' },
);

test('the tokens of an unusable model answer are counted', async () => {
  await expect(ask(aModelQuestion(), aModelContext())).rejects.toThrow('no use');
  const sums = (await readMetrics()).split('\n').filter((line) => line.startsWith('gen_ai_client_token_usage_sum'));
  expect(sums).toEqual([
    expect.stringMatching(/gen_ai_token_type="input".*\} 12$/),
    expect.stringMatching(/gen_ai_token_type="output".*\} 3$/),
  ]);
});
