import { getHeapStatistics } from 'node:v8';

const MIB = 1_048_576;

/** Of the heap, kept for all that is not a run. */
const RESERVED_BYTES = 200 * MIB;
/** What a cached run may take. Most take a third of it; one with much in its channels takes more. */
const BYTES_PER_RUN = MIB;
const FEWEST = 10;

/**
 * How many runs a worker keeps in memory, so that it need not replay them: as many as its heap has room for, or as
 * `HOLDFAST_CACHED_RUNS` says.
 * @param heapLimit in bytes; `node --max-old-space-size` sets it
 * @throws Error when the environment says no whole number from 10 on
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
