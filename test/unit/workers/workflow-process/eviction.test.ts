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

describe('workflows', () => {
  test('stay while there is room, and nothing is collected', async () => {
    const { kept, state, evictIfCrowded } = aHeap(0.05, { count: 9 });
    await evictIfCrowded();
    expect([kept.size, state.collections]).toEqual([9, 0]);
  });

  test('stay if it was garbage that took the room', async () => {
    const { kept, state, evictIfCrowded } = aHeap(0.05, { count: 6, garbage: 0.5 });
    await evictIfCrowded();
    expect([kept.size, state.collections]).toEqual([6, 1]);
  });

  test('that were used longest ago are forgotten first, until there is room', async () => {
    const { kept, evictIfCrowded } = aHeap(0.05, { count: 15 });
    await evictIfCrowded();
    expect(kept.size).toBeLessThanOrEqual(7);
    expect([...kept].at(0)).toBe(`w${15 - kept.size}`);
  });

  test('in the middle of a task are forgotten only when the heap is full', async () => {
    const crowded = aHeap(0.3, { count: 2 });
    await crowded.evictIfCrowded();
    expect(crowded.kept.size).toBe(2);
    const full = aHeap(0.24, { count: 3, inUse: 3 });
    await full.evictIfCrowded();
    expect([...full.kept]).toEqual(['w1', 'w2']);
  });

  test('that must stay are not looked at again before more has come', async () => {
    const { state, evictIfCrowded } = aHeap(0.28, { count: 2 });
    await evictIfCrowded();
    await evictIfCrowded();
    expect(state.collections).toBe(1);
    state.garbage = 0.15;
    await evictIfCrowded();
    expect(state.collections).toBe(2);
  });
});
