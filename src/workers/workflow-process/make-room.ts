import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Workflows in memory, the one that was used longest ago first. */
export interface Cached {
  keys(): readonly string[];
  forget(key: string): Promise<void>;
}

export interface Heap {
  /** The part of the heap that is in use, garbage included, from 0 to 1. */
  usedPart(): number;
  /** Collects the garbage, which takes up to a second. */
  collect(): void;
}

/** Beyond this part of the heap, workflows are forgotten. */
const CROWDED = 0.5;
/** They are forgotten until no more than this is in use, so that the next ones find room. */
const ROOMY = 0.35;
/**
 * Beyond this part, they are forgotten even in the middle of a task. V8 aborts a process whose collections free little
 * while four fifths of the old generation, which is smaller than the heap, are in use.
 */
const FULL = 0.65;
/** The part of the workflows that is forgotten before the heap is measured again. */
const AT_ONCE = 0.25;
/** The part that the heap grows by before its garbage is collected again. */
const NEW_PART = 0.1;

/**
 * Forgets workflows when they take much of the heap, first those that were used longest ago. They are played again from
 * their histories, so none runs out of memory because of others.
 * @param inUse the number of workflows that may be in the middle of a task: those that were used last. A task begins anew
 * if its workflow is forgotten
 */
export function createRoomMaker(cached: Cached, heap: Heap, inUse: number): () => Promise<void> {
  let afterCollection = 0;
  const collect = (): number => {
    heap.collect();
    return (afterCollection = heap.usedPart());
  };
  const forgetUntil = async (part: number, kept: number): Promise<void> => {
    for (let used = afterCollection; used > part; used = collect()) {
      const keys = cached.keys();
      const idle = keys.slice(0, Math.max(0, keys.length - kept));
      if (idle.length === 0) return;
      for (const key of idle.slice(0, Math.ceil(idle.length * AT_ONCE))) await cached.forget(key);
    }
  };
  return async () => {
    const used = heap.usedPart();
    if (used <= CROWDED || used <= Math.min(afterCollection + NEW_PART, FULL)) return;
    if (collect() > ROOMY) await forgetUntil(ROOMY, inUse);
    if (afterCollection > FULL) await forgetUntil(CROWDED, 0);
  };
}

/** The heap of this process. */
export function ownHeap(): Heap {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new TypeError('This Node gives no access to its garbage collector');
  return {
    usedPart() {
      const { used_heap_size, heap_size_limit } = getHeapStatistics();
      return used_heap_size / heap_size_limit;
    },
    collect: () => void collect(),
  };
}
