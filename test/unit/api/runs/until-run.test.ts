import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { untilRun } from '../../../../src/api/runs/until-run.ts';
import type { ChangeListener, RunChange } from '../../../../src/store/changes.ts';

const subscribed = new Set<ChangeListener>();
const store = {
  changes: {
    subscribe(_runId: string, listener: ChangeListener) {
      subscribed.add(listener);
      return () => void subscribed.delete(listener);
    },
  },
};
const tell = (change: RunChange | null): void => [...subscribed].forEach((listener) => listener(change));
const aChange = (seq: number): RunChange => ({ tenantId: 'acme', runId: 'R', seq, status: 'running' });

/** Sees 1, 2, 3 and so on. */
let looks = 0;
const look = async (): Promise<number> => ++looks;
const awaited = { runId: 'R', look, withinMs: 60_000 };

beforeEach(() => {
  looks = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

describe('untilRun', () => {
  test('looks once when that is enough', async () => {
    expect(await untilRun(store, { ...awaited, isWanted: () => true })).toBe(1);
    expect(subscribed.size).toBe(0);
  });

  test('looks again at each change of interest, and when changes may have been missed', async () => {
    const isOfInterest = ({ seq }: RunChange): boolean => seq > 1;
    const seen = untilRun(store, { ...awaited, isOfInterest, isWanted: (at) => at === 3 });
    for (const change of [aChange(1), aChange(2), null]) {
      await vi.advanceTimersByTimeAsync(10);
      tell(change);
    }
    expect(await seen).toBe(3);
  });

  test('misses no change between its look and its waiting', async () => {
    const whileLooking = async (): Promise<number> => {
      tell(aChange(1));
      return await look();
    };
    expect(await untilRun(store, { ...awaited, look: whileLooking, isWanted: (at) => at === 2 })).toBe(2);
  });

  test('looks now and then, in case it is told nothing', async () => {
    const seen = untilRun(store, { ...awaited, isWanted: (at) => at === 3 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await seen).toBe(3);
  });

  test('returns what it has seen last when the time is up', async () => {
    const seen = untilRun(store, { ...awaited, withinMs: 300, isWanted: () => false });
    await vi.advanceTimersByTimeAsync(300);
    expect(await seen).toBe(2);
  });

  test('looks at what begins only once it has changed, also before all of the beginning is done', async () => {
    const begin = async (): Promise<void> => {
      expect(looks).toBe(0);
      tell(aChange(1));
      await vi.advanceTimersByTimeAsync(100);
      expect(looks).toBe(0);
    };
    expect(await untilRun(store, { ...awaited, begin, isWanted: () => true })).toBe(1);
  });

  test('ends at once when nobody wants it any more', async () => {
    const unwanted = new AbortController();
    const seen = untilRun(store, { ...awaited, unwanted: [unwanted.signal], isWanted: () => false });
    await vi.advanceTimersByTimeAsync(10);
    unwanted.abort();
    expect(await seen).toBe(2);
  });

  test('passes on why the beginning has failed', async () => {
    const begin = async (): Promise<void> => await Promise.reject(new Error('no'));
    await expect(untilRun(store, { ...awaited, begin, isWanted: () => true })).rejects.toThrow('no');
    expect(subscribed.size).toBe(0);
  });
});
