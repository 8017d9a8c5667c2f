import { describe, expect, test } from 'vitest';
import { createEviction } from '../../../../src/workers/workflow-process/eviction.ts';

/** A heap in which each workflow takes a part, and garbage another. */
function aHeap(part: number, { count, garbage = 0, inUse = 2 }: { count: number; garbage?: number; inUse?: number }) {
  const kept = new Set(Array.from({ length: count }, (_, at) => `w${at}`));
  const state = { garbage, collections: 0 };
  const cached = { keys: () => [...kept], forget: async (key: string) => void kept.delete(key) };
  const heap = {
    usedPart: () => kept.size * part + state.garbage,
    collect: () => void Object.assign(state, { garbage: 0, collections: state.collections + 1 }),
  };
  return { kept, state, evictIfCrowded: createEviction(cached, heap, inUse) };
}

describe('workflows in a crowded heap', () => {
  test('cached workflows stay without a garbage collection while the heap has room', async () => {
    const { kept, state, evictIfCrowded } = aHeap(0.05, { count: 9 });
    await evictIfCrowded();
    expect([kept.size, state.collections]).toEqual([9, 0]);
  });

  test('cached workflows stay if a garbage collection frees enough of the heap', async () => {
    const { kept, state, evictIfCrowded } = aHeap(0.05, { count: 6, garbage: 0.5 });
    await evictIfCrowded();
    expect([kept.size, state.collections]).toEqual([6, 1]);
  });

  test('cached workflows are evicted, least recently used first, until the heap has room', async () => {
    const { kept, evictIfCrowded } = aHeap(0.05, { count: 15 });
    await evictIfCrowded();
    expect(kept.size).toBeLessThanOrEqual(7);
    expect([...kept].at(0)).toBe(`w${15 - kept.size}`);
  });

  test('cached workflows are evicted during a task only when the heap is full', async () => {
    const crowded = aHeap(0.3, { count: 2 });
    await crowded.evictIfCrowded();
    expect(crowded.kept.size).toBe(2);
    const full = aHeap(0.24, { count: 3, inUse: 3 });
    await full.evictIfCrowded();
    expect([...full.kept]).toEqual(['w1', 'w2']);
  });

  test('cached workflows that can not be evicted are not measured again before the heap has grown', async () => {
    const { state, evictIfCrowded } = aHeap(0.28, { count: 2 });
    await evictIfCrowded();
    await evictIfCrowded();
    expect(state.collections).toBe(1);
    state.garbage = 0.15;
    await evictIfCrowded();
    expect(state.collections).toBe(2);
  });
});
