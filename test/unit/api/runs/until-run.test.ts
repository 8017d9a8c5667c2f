import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { untilRun } from '../../../../src/api/runs/until-run.ts';
import type { ChangeListener, RunChange } from '../../../../src/store/changes.ts';

const subscribed = new Set<ChangeListener>();
const changes = {
  subscribe(_runId: string, listener: ChangeListener) {
    subscribed.add(listener);
    return () => void subscribed.delete(listener);
  },
};
const notify = (change: RunChange | null): void => [...subscribed].forEach((listener) => listener(change));
const aChange = (seq: number): RunChange => ({ tenantId: 'acme', runId: 'R', seq, status: 'running' });

/** Returns 1, 2, 3 and so on. */
let looks = 0;
const look = async (): Promise<number> => ++looks;
const awaited = { runId: 'R', look, withinMs: 60_000 };

beforeEach(() => {
  looks = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

describe('untilRun', () => {
  test('the polling helper untilRun reads once if the value is accepted', async () => {
    expect(await untilRun(changes, { ...awaited, isWanted: () => true })).toBe(1);
    expect(subscribed.size).toBe(0);
  });

  test('the polling helper untilRun reads again at each selected change, and when changes may have been missed', async () => {
    const isOfInterest = ({ seq }: RunChange): boolean => seq > 1;
    const seen = untilRun(changes, { ...awaited, isOfInterest, isWanted: (at) => at === 3 });
    for (const change of [aChange(1), aChange(2), null]) {
      await vi.advanceTimersByTimeAsync(10);
      notify(change);
    }
    expect(await seen).toBe(3);
  });

  test('the polling helper untilRun misses no change between a read and its wait', async () => {
    const whileLooking = async (): Promise<number> => {
      notify(aChange(1));
      return await look();
    };
    expect(await untilRun(changes, { ...awaited, look: whileLooking, isWanted: (at) => at === 2 })).toBe(2);
  });

  test('the polling helper untilRun reads at intervals in case a notification is lost', async () => {
    const seen = untilRun(changes, { ...awaited, isWanted: (at) => at === 3 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await seen).toBe(3);
  });

  test('the polling helper untilRun returns the last value when its time is up', async () => {
    const seen = untilRun(changes, { ...awaited, withinMs: 300, isWanted: () => false });
    await vi.advanceTimersByTimeAsync(300);
    expect(await seen).toBe(2);
  });

  test('while a run is being started, untilRun reads it only after a change, even before the start has completed', async () => {
    const begin = async (): Promise<void> => {
      expect(looks).toBe(0);
      notify(aChange(1));
      await vi.advanceTimersByTimeAsync(100);
      expect(looks).toBe(0);
    };
    expect(await untilRun(changes, { ...awaited, begin, isWanted: () => true })).toBe(1);
  });

  test('the polling helper untilRun ends at once when an abort signal fires', async () => {
    const unwanted = new AbortController();
    const seen = untilRun(changes, { ...awaited, unwanted: [unwanted.signal], isWanted: () => false });
    await vi.advanceTimersByTimeAsync(10);
    unwanted.abort();
    expect(await seen).toBe(2);
  });

  test('the polling helper untilRun rejects with the error of a failed start', async () => {
    const begin = async (): Promise<void> => await Promise.reject(new Error('no'));
    await expect(untilRun(changes, { ...awaited, begin, isWanted: () => true })).rejects.toThrow('no');
    expect(subscribed.size).toBe(0);
  });
});
