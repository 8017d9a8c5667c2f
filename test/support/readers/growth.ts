/** Work of a size, ready to be done once. */
export type Prepare = (size: number) => () => unknown;

const SIZE = 400;
/** So many times that what disturbs a measurement weighs little beside the growth. */
const TIMES_LARGER = 12;
const TRIES = 2;

/**
 * Measures how the processor's time for a work grows with its size. Of several tries the shortest counts, as others
 * contain the collection of garbage and what else the machine does.
 * @returns the exponent: about 1 for a linear work, 2 for a quadratic one
 */
export function growthOf(prepare: Prepare): number {
  shortest(prepare, SIZE);
  return Math.log(shortest(prepare, SIZE * TIMES_LARGER) / shortest(prepare, SIZE)) / Math.log(TIMES_LARGER);
}

function shortest(prepare: Prepare, size: number): number {
  const tries = Array.from({ length: TRIES }, () => {
    const work = prepare(size);
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...tries));
}
