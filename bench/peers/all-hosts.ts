import { dbos } from './dbos.ts';
import { holdfast, holdfastOnPostgres } from './holdfast.ts';
import { langgraph } from './langgraph.ts';
import type { Host } from './peer.ts';
import { temporal, temporalAsShipped, temporalOnFile } from './temporal.ts';

/** In the order of the report. */
export const ALL_HOSTS: readonly Host[] = [
  holdfast,
  holdfastOnPostgres,
  temporal,
  temporalOnFile,
  temporalAsShipped,
  dbos,
  ...langgraph,
];
