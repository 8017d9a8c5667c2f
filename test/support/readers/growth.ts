/** Prepares work of the given size, to be executed once. */
export type Prepare = (size: number) => () => unknown;

/** The time-out for tests of growth: a busy machine may take long for little processor time. */
export const MEASURING = { timeout: 120_000 };

const SIZE = 400;
/** Large enough that disturbances of a measurement are small compared with the growth. */
const TIMES_LARGER = 12;
const MIN_TRIES = 2;
const MAX_TRIES = 6;

/**
 * Measures how the processor time of work grows with its size. The shortest of several attempts counts, as others
 * include garbage collection and other work of the machine. A collection may last for several attempts, so the sizes
 * alternate.
 * @param limit a growth that is not below this is measured more often
 * @returns the exponent: about 1 for linear work, 2 for quadratic work
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

/** The processor time in microseconds, of all threads. */
function timeOf(prepare: Prepare, size: number): number {
  const work = prepare(size);
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}
