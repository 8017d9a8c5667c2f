import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { recordOutcome } from '../../../../src/activities/calls/call-record.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import { anActivity } from '../../../support/doubles/scripted-tool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Records an outcome while the database fails for the given time. @returns the number of attempts */
async function record(failure: Error, awayMs: number): Promise<number> {
  const backAt = Date.now() + awayMs;
  let asked = 0;
  const activity = anActivity();
  activity.context.log.warn = () => undefined;
  const recording = activity.run<[], void, () => Promise<void>>(async () => {
    await recordOutcome(async () => {
      asked += 1;
      if (Date.now() < backAt) throw failure;
    });
  });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  await recording;
  return asked;
}

describe('keepRecording', () => {
  test('the record of an outcome is retried until a database returns that was down for minutes', async () => {
    expect(await record(new DatabaseAwayError('away'), 3 * 60_000)).toBeGreaterThan(90);
  });

  test('recording an outcome is abandoned in time for the run to receive the outcome before the server times out the call', async () => {
    expect(await record(new DatabaseAwayError('away'), 60 * 60_000)).toBeLessThan(4 * 60);
  });

  test('a record that the database refuses is retried only a few times', async () => {
    expect(await record(new Error('no such column'), 60 * 60_000)).toBe(8);
  });
});
