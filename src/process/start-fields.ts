import { packageVersion } from './own-code.ts';
import { addressOf } from './temporal.ts';
import type { TemporalTarget } from './temporal.ts';

interface Started {
  readonly mode: 'api' | 'worker' | 'start';
  /** Absent: the database is embedded. */
  readonly databaseUrl?: string;
  readonly target: TemporalTarget;
}

/** Says what a process is and what it works with, for the first line of its log. Passwords are left out. */
export function startFields({ mode, databaseUrl, target: { options, namespace } }: Started) {
  return {
    version: packageVersion(),
    mode,
    database: databaseUrl === undefined ? 'embedded' : placeOf(databaseUrl),
    temporal: addressOf(options),
    namespace,
  };
}

function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}
