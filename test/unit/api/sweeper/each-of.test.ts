import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eachOf } from '../../../../src/api/sweeper/each-of.ts';

describe('eachOf', () => {
  test.each([
    [3, 3],
    [20, 10],
  ])('eachOf processes each item once, with at most %i at a time', async (atOnce, most) => {
    const items = Array.from({ length: 10 }, (_, n) => n);
    const seen: number[] = [];
    let [open, mostOpen] = [0, 0];
    await eachOf(items, atOnce, async (item) => {
      mostOpen = Math.max(mostOpen, ++open);
      await sleep(item % 3);
      seen.push(item);
      open--;
    });
    expect(seen.toSorted((a, b) => a - b)).toEqual(items);
    expect(mostOpen).toBe(most);
  });

  test('eachOf fails with the error of the work', async () => {
    const failing = eachOf([1, 2], 1, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
  });
});
