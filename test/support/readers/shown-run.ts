import type { Run } from '../../../src/graph/run/run.ts';
import { statusOf } from '../../../src/graph/run/status.ts';
import type { RunStatus } from '../../../src/graph/run/status.ts';
import type { RunError } from '../../../src/graph/values/errors.ts';
import type { JsonObject } from '../../../src/graph/values/json.ts';

/** A run with the fields derived from its phase, for tests. */
export interface ShownRun extends Run {
  readonly status: RunStatus;
  /** Milliseconds since the epoch. */
  readonly endedAt: number | null;
  readonly output: JsonObject | null;
  readonly error: RunError | null;
}

export function shown(run: Run): ShownRun {
  const { phase } = run;
  return {
    ...run,
    status: statusOf(run),
    endedAt: 'endedAt' in phase ? phase.endedAt : null,
    output: phase.kind === 'completed' ? phase.output : null,
    error: phase.kind === 'failed' || phase.kind === 'canceled' ? phase.error : null,
  };
}
