import { describe, expect, test } from 'vitest';
import { createRoomMaker } from '../../../../src/workers/workflow-process/make-room.ts';

/** A heap in which each workflow takes a part, and garbage another. */
function aHeap(part: number, { count, garbage = 0, inUse = 2 }: { count: number; garbage?: number; inUse?: number }) {
  const kept = new Set(Array.from({ length: count }, (_, at) => `w${at}`));
  const state = { garbage, collections: 0 };
  const cached = { keys: () => [...kept], forget: async (key: string) => void kept.delete(key) };
  const heap = {
    usedPart: () => kept.size * part + state.garbage,
    collect: () => void Object.assign(state, { garbage: 0, collections: state.collections + 1 }),
  };
  return { kept, state, makeRoom: createRoomMaker(cached, heap, inUse) };
}

describe('workflows', () => {
  test('stay while there is room, and nothing is collected', async () => {
    const { kept, state, makeRoom } = aHeap(0.05, { count: 9 });
    await makeRoom();
    expect([kept.size, state.collections]).toEqual([9, 0]);
  });

  test('stay if it was garbage that took the room', async () => {
    const { kept, state, makeRoom } = aHeap(0.05, { count: 6, garbage: 0.5 });
    await makeRoom();
    expect([kept.size, state.collections]).toEqual([6, 1]);
  });

  test('that were used longest ago are forgotten first, until there is room', async () => {
    const { kept, makeRoom } = aHeap(0.05, { count: 15 });
    await makeRoom();
    expect(kept.size).toBeLessThanOrEqual(7);
    expect([...kept].at(0)).toBe(`w${15 - kept.size}`);
  });

  test('in the middle of a task are forgotten only when the heap is full', async () => {
    const crowded = aHeap(0.3, { count: 2 });
    await crowded.makeRoom();
    expect(crowded.kept.size).toBe(2);
    const full = aHeap(0.24, { count: 3, inUse: 3 });
    await full.makeRoom();
    expect([...full.kept]).toEqual(['w1', 'w2']);
  });

  test('that must stay are not looked at again before more has come', async () => {
    const { state, makeRoom } = aHeap(0.28, { count: 2 });
    await makeRoom();
    await makeRoom();
    expect(state.collections).toBe(1);
    state.garbage = 0.15;
    await makeRoom();
    expect(state.collections).toBe(2);
  });
});
