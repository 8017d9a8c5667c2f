import type { Run } from './run.ts';

/** A run as an earlier version may have left it. */
export interface KeptRun {
  readonly format: number;
}

/** Makes a run of one format one of the next. Pure, and never changed once released. */
type Migration = (run: KeptRun) => object;

/** The first one leads from format 1 to 2, and so on. */
const MIGRATIONS: readonly Migration[] = [];

/**
 * Reads a run that another execution has handed over, or that the store has kept: brings it into the shape of today.
 * @throws when a later version has left it
 */
export function readRun(kept: KeptRun, migrations = MIGRATIONS): Run {
  const newest = migrations.length + 1;
  const run = migrations
    .slice(kept.format - 1)
    .reduce<KeptRun>((before, migrate) => ({ ...migrate(before), format: before.format + 1 }), kept);
  if (hasFormat(run, newest)) return run;
  throw new Error(`The run has format ${kept.format}; this version knows those up to ${newest}`);
}

/** The migrations have made it a run of today. */
function hasFormat(run: KeptRun, newest: number): run is Run {
  return run.format === newest;
}
