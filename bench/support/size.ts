const IS_TINY = process.env['BENCH_SIZE'] === 'tiny';

/**
 * Chooses the size of a measurement. With `BENCH_SIZE=tiny` a bench does the minimum that shows that it works: its
 * numbers mean nothing then, and it writes no page.
 */
export function sized<T>(usual: T, tiny: T): T {
  return IS_TINY ? tiny : usual;
}
