import { getHeapStatistics } from 'node:v8';

const MIB = 1_048_576;

/** The part of the heap for all that is not a cached run. */
const RESERVED_BYTES = 200 * MIB;
/** The size of a large cached run; most take a third of it. */
const BYTES_PER_RUN = MIB;
const FEWEST = 10;

/**
 * The number of runs that a worker caches, so that it need not replay them. `HOLDFAST_CACHED_RUNS` sets it;
 * the default follows from the heap.
 * @param heapLimit in bytes; `node --max-old-space-size` sets it
 * @throws Error when the variable is not a whole number from 10 on
 */
export function cachedRuns(
  { HOLDFAST_CACHED_RUNS: given }: NodeJS.ProcessEnv,
  heapLimit: number = getHeapStatistics().heap_size_limit,
): number {
  if (given === undefined || given === '')
    return Math.max(FEWEST, Math.floor((heapLimit - RESERVED_BYTES) / BYTES_PER_RUN));
  const wanted = Number(given);
  if (Number.isInteger(wanted) && wanted >= FEWEST) return wanted;
  throw new Error(`HOLDFAST_CACHED_RUNS must be a whole number, ${FEWEST} or more; it is "${given}"`);
}
