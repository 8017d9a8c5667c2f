import { packageVersion } from './own-code.ts';
import { temporalAddressOf } from './temporal.ts';
import type { TemporalTarget } from './temporal.ts';

interface ProcessStart {
  readonly mode: 'api' | 'worker' | 'start';
  /** Absent if the database is embedded. */
  readonly databaseUrl?: string;
  readonly target: TemporalTarget;
}

/** The fields of the first line of a process's log: its mode, version and servers. Passwords are left out. */
export function startFields({ mode, databaseUrl, target: { options, namespace } }: ProcessStart) {
  return {
    version: packageVersion(),
    mode,
    database: databaseUrl === undefined ? 'embedded' : withoutPassword(databaseUrl),
    temporal: temporalAddressOf(options),
    namespace,
  };
}

function withoutPassword(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}
