/**
 * The type of failures of a run that says something else than its journal says already. Somebody has reset its workflow
 * in Temporal, or Temporal or the store was restored from a backup.
 */
export const CONTRADICTION = 'CONTRADICTION';
