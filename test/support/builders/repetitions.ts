/**
 * Returns the number of repetitions of a property in `npm test`: a third of those in `npm run test:full`. `RUNS` sets
 * another number.
 */
export function repetitions(all: number): number {
  const { RUNS, HOLDFAST_TEST_REPETITIONS } = process.env;
  if (RUNS !== undefined) return Number(RUNS);
  return HOLDFAST_TEST_REPETITIONS === undefined ? Math.ceil(all / 3) : all;
}
