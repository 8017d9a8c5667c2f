import type { Run } from './run.ts';

/** A run in the shape of an earlier version. */
export interface StoredRun {
  readonly format: number;
}

/** Migrates a run from one format to the next. Pure, and unchanged once released. */
type Migration = (run: StoredRun) => object;

/** The first migration leads from format 1 to 2, and so on. */
const MIGRATIONS: readonly Migration[] = [];

/**
 * Migrates a run from another execution, or from the store, to the current shape. @throws if a later version wrote it
 */
export function readRun(stored: StoredRun, migrations = MIGRATIONS): Run {
  const newest = migrations.length + 1;
  const run = migrations
    .slice(stored.format - 1)
    .reduce<StoredRun>((before, migrate) => ({ ...migrate(before), format: before.format + 1 }), stored);
  if (hasFormat(run, newest)) return run;
  throw new Error(`The run has format ${stored.format}; this version knows those up to ${newest}`);
}

/** The migrations have produced the current format. */
function hasFormat(run: StoredRun, newest: number): run is Run {
  return run.format === newest;
}
