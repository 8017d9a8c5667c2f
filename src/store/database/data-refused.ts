/**
 * Classes of codes for data that the database refuses each time: values it can't hold (22), broken constraints (23),
 * and values beyond its limits (54).
 */
const REFUSED_CLASSES: ReadonlySet<string> = new Set(['22', '23', '54']);

const SQL_CODE = /^[0-9A-Z]{5}$/;

/** True for an error that the same statement meets again. JavaScript throws a `RangeError` for too long a text. */
export function isDataRefused(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return SQL_CODE.test(error.code) && REFUSED_CLASSES.has(error.code.slice(0, 2));
}
