import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { openTimeLimit } from '../../../../src/activities/calls/time-limit.ts';
import type { TimeLimit } from '../../../../src/activities/calls/time-limit.ts';
import type { CallPolicy } from '../../../../src/graph/definition/call-policy.ts';
import { aPolicy } from '../../../support/builders/call-builders.ts';
import { anActivity } from '../../../support/doubles/scripted-tool.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-01-02T03:04:05Z');

beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => vi.useRealTimers());

interface Opened {
  readonly limit: TimeLimit;
  readonly activity: MockActivityEnvironment;
}

/** Opens the limit of an attempt at a call that was scheduled a minute ago. */
function open(policy: Partial<Pick<CallPolicy, 'timeoutMs' | 'deadlineMs'>>): Opened {
  const activity = anActivity({ scheduledTimestampMs: NOW - 60_000 });
  return { activity, limit: openTimeLimit(aPolicy(policy), activity.context) };
}

const endOf = async (limit: TimeLimit, work: Promise<never>): Promise<unknown> =>
  await limit.bound(work).catch((error: unknown) => error);
const forever = async (): Promise<never> => await new Promise(() => undefined);

describe('openTimeLimit', () => {
  test('a call attempt ends at its time-out', async () => {
    const { limit } = open({ timeoutMs: 5_000 });
    const ended = endOf(limit, forever());
    await vi.advanceTimersByTimeAsync(4_999);
    expect(limit.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ended).toMatchObject({ code: 'TIMEOUT', retryable: true, done: 'perhaps' });
    expect(await ended).toHaveProperty('message', 'The call took longer than its time-out of 5000 ms');
  });

  test('a call attempt ends at the deadline of all attempts, if that comes first', async () => {
    const { limit } = open({ timeoutMs: 5_000, deadlineMs: 62_000 });
    const ended = endOf(limit, forever());
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await ended).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('deadline of 62000 ms') });
  });

  test.each([25, 30, 365])('an attempt’s time-out of %i days is not shortened', async (days) => {
    const { limit } = open({ timeoutMs: days * DAY_MS });
    await vi.advanceTimersByTimeAsync(24 * DAY_MS);
    expect(limit.signal.aborted).toBe(false);
  });

  test('work that completes within its time limit returns its result', async () => {
    expect(await open({}).limit.bound(Promise.resolve(7))).toBe(7);
  });

  test('an error of time-limited work is passed on unchanged', async () => {
    await expect(open({}).limit.bound(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  });

  test('an error thrown before the time limit ends is unchanged', async () => {
    const { limit, activity } = open({});
    const refused = new CallError('TOOL_FAILED', 'refused', { retryable: false, done: 'no' });
    const ended = endOf(limit, Promise.reject(refused));
    activity.cancel();
    expect(await ended).toBe(refused);
  });

  test('an error caused by the abort signal is replaced by the error of the time limit', async () => {
    const { limit, activity } = open({});
    const work = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(new Error('its own')));
    });
    const ended = endOf(limit, work);
    activity.cancel();
    expect(await ended).toMatchObject({ code: 'CANCELED' });
  });

  test('a cancellation ends time-limited work', async () => {
    const { limit, activity } = open({});
    const ended = endOf(limit, forever());
    activity.cancel();
    expect(await ended).toMatchObject({ code: 'CANCELED', retryable: false, done: 'perhaps' });
    expect([limit.signal.aborted, limit.isCanceled()]).toEqual([true, true]);
  });

  test('time-limited work that begins after a cancellation ends at once, unless it has already ended', async () => {
    const { limit, activity } = open({});
    activity.cancel();
    await expect(limit.bound(forever())).rejects.toMatchObject({ code: 'CANCELED' });
    await expect(limit.bound(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  });

  test('a call was not executed if its preparations exceed the time limit', async () => {
    const { limit } = open({ timeoutMs: 5_000 });
    const ended = endOf(limit, limit.prepare(forever()));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await ended).toMatchObject({ code: 'TIMEOUT', retryable: true, done: 'no' });
  });

  test('a call was not executed if its preparations are canceled, even in their last moment', async () => {
    const { limit, activity } = open({});
    const preparing = limit.prepare(Promise.resolve().then(() => activity.cancel()));
    const ended = endOf(limit, forever());
    await expect(preparing).rejects.toMatchObject({ code: 'CANCELED', done: 'no' });
    expect(await ended).toMatchObject({ code: 'CANCELED', done: 'no' });
  });

  test('a call that is interrupted after its preparations was possibly executed, and errors of preparations are unchanged', async () => {
    const { limit, activity } = open({});
    expect(await limit.prepare(Promise.resolve(7))).toBe(7);
    await expect(limit.prepare(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
    const ended = endOf(limit, forever());
    activity.cancel();
    expect(await ended).toMatchObject({ code: 'CANCELED', done: 'perhaps' });
  });

  test('another call attempt is allowed as long as it begins before the deadline', () => {
    const { limit } = open({ deadlineMs: 62_000 });
    expect([1_999, 2_000, 2_001].map((delayMs) => limit.allows(delayMs))).toEqual([true, false, false]);
    expect(open({}).limit.allows(Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  test('a closed time limit leaves no timer behind', () => {
    const { limit } = open({});
    expect(vi.getTimerCount()).toBe(1);
    limit.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a closed time limit can be garbage-collected before its time-out', async () => {
    vi.useRealTimers();
    setFlagsFromString('--expose-gc');
    const signals = Array.from({ length: 100 }, () => {
      const { limit } = open({});
      limit.close();
      return new WeakRef(limit.signal);
    });
    const left = (): number => {
      runInNewContext('gc()');
      return signals.filter((signal) => signal.deref()).length;
    };
    await expect.poll(left).toBeLessThan(10);
  });
});
