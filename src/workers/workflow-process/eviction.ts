import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The workflows in memory. */
export interface WorkflowCache {
  /** Lists the keys of the workflows, least recently used first. */
  keys(): readonly string[];
  forget(key: string): Promise<void>;
}

export interface HeapGauge {
  /** Returns the share of the heap that is in use, including garbage, from 0 to 1. */
  usedPart(): number;
  /** Collects garbage, which takes up to a second. */
  collect(): void;
}

/** When a larger share of the heap is in use, workflows are evicted. */
const CROWDED = 0.5;
/** They are evicted until no larger share is in use, so that the next workflows fit. */
const ROOMY = 0.35;
/**
 * When a larger share is in use, they are evicted even during a task. V8 aborts a process whose collections free little
 * while four fifths of the old generation, which is smaller than the heap, are in use.
 */
const EVICT_ABOVE = 0.65;
/** The share of the workflows that is evicted before the heap is measured again. */
const EVICTED_SHARE = 0.25;
/** The growth of the used share before garbage is collected again. */
const NEW_PART = 0.1;

/**
 * Creates a function that evicts workflows when they use much of the heap, least recently used first. They are replayed from
 * their histories later, so that none runs out of memory because of others.
 * @param inUse the number of most recently used workflows that may be in the middle of a task. A task restarts if its
 * workflow is evicted
 */
export function createEviction(cached: WorkflowCache, heap: HeapGauge, inUse: number): () => Promise<void> {
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
      for (const key of idle.slice(0, Math.ceil(idle.length * EVICTED_SHARE))) await cached.forget(key);
    }
  };
  return async () => {
    const used = heap.usedPart();
    if (used <= CROWDED || used <= Math.min(afterCollection + NEW_PART, EVICT_ABOVE)) return;
    if (collect() > ROOMY) await forgetUntil(ROOMY, inUse);
    if (afterCollection > EVICT_ABOVE) await forgetUntil(CROWDED, 0);
  };
}

/** The heap of this process. */
export function ownHeapGauge(): HeapGauge {
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
