/** The codes of gRPC with which a server says that asking again is in vain. */
const REFUSED: ReadonlySet<number> = new Set([3, 7, 12, 16]);

/** Whether an error of Temporal's SDK only says that the server, or the namespace, is not there yet. */
export function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransportError') return true;
  return 'code' in error && typeof error.code === 'number' && !REFUSED.has(error.code);
}
