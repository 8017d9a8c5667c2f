/** Work of a size, ready to be done once. */
export type Prepare = (size: number) => () => unknown;

/** For tests of a growth: a busy machine may need long for little of the processor's time. */
export const MEASURING = { timeout: 120_000 };

const SIZE = 400;
/** So many times that what disturbs a measurement weighs little beside the growth. */
const TIMES_LARGER = 12;
const MIN_TRIES = 2;
const MAX_TRIES = 6;

/**
 * Measures how the processor's time for a work grows with its size. Of several tries the shortest counts, as others
 * contain the collection of garbage and what else the machine does. A collection may last for tries of one size, so the
 * sizes take turns.
 * @param limit a growth that is not below it is tried more often
 * @returns the exponent: about 1 for a linear work, 2 for a quadratic one
 */
export function growthOf(prepare: Prepare, limit = 1.5): number {
  timeOf(prepare, SIZE);
  let [small, large, growth] = [Infinity, Infinity, Infinity];
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    large = Math.min(large, timeOf(prepare, SIZE * TIMES_LARGER));
    small = Math.min(small, timeOf(prepare, SIZE));
    growth = Math.log(large / small) / Math.log(TIMES_LARGER);
    if (tries >= MIN_TRIES && growth < limit) break;
  }
  return growth;
}

/** In microseconds, of all threads. */
function timeOf(prepare: Prepare, size: number): number {
  const work = prepare(size);
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}
