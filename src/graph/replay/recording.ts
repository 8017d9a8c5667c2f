import type { RunBeginning, RunIdentity } from '../advance/begin-run.ts';
import { compileShared } from '../compile/compile.ts';
import type { Catalog } from '../definition/catalog.ts';
import type { GraphDefinition } from '../definition/definition.ts';
import type { RunEvent } from '../journal/events.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import { replayRecordedRun } from './replay.ts';
import type { ReplayedRun, ReplayStart } from './replay.ts';
import type { RecordedAnswer } from './replay-log.ts';

/** Everything that is needed to replay an ended run without its environment. It is plain JSON. */
export interface Recording {
  readonly identity: RunIdentity;
  readonly definition: GraphDefinition;
  /** The part of the installation that the run has pinned. */
  readonly catalog: Catalog;
  /** The values that are hidden from callers without the permission to see payloads. */
  readonly redaction: Redaction;
  readonly begin: RunBeginning;
  readonly events: readonly RunEvent[];
  readonly occurrences: readonly RecordedOccurrence[];
  /** The answers, by the keys of the calls. */
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
}

/** Changes to a replay. */
export interface ReplayOverrides extends Pick<ReplayStart, 'view' | 'onStep'> {
  /** Replaces the recorded definition. */
  readonly definition?: GraphDefinition;
}

/**
 * Replays a recorded run under its own definition or another one.
 * @throws if the definition can't be compiled with what the run has pinned
 */
export function replayRecording(
  { identity, definition, catalog, begin, events, occurrences, answers }: Recording,
  overrides: ReplayOverrides = {},
): ReplayedRun {
  const graph = compileShared(overrides.definition ?? definition, catalog);
  const log = { events, occurrences, answers: new Map(Object.entries(answers)) };
  return replayRecordedRun({ graph, identity, begin, log, view: overrides.view, onStep: overrides.onStep });
}
