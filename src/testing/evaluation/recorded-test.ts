import { isRedacting, hideEvent, hideOutput, hideRunError, NOTHING_REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { toRunView } from '../../graph/journal/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';
import { hideRecording, replayRecording } from '../../graph/replay/index.ts';
import type { Recording, ReplayedRun } from '../../graph/replay/index.ts';
import type { RunStatus } from '../../graph/run/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import type { Json, RunError } from '../../graph/values/index.ts';
import { nodePathOf } from '../../simulation/run-record.ts';

/** A recorded run as a test: a file of JSON that `holdfast promote` writes. */
export interface RecordedTest {
  /** The version of this format. */
  readonly holdfast: 1;
  /** `redacted`: the file has placeholders for the values that the run hides. */
  readonly payloads: 'redacted' | 'all';
  readonly recording: Recording;
  /** The outcome of the recorded run. */
  readonly expect: OutcomeSummary;
}

/** The outcome of a run, in short. */
export interface OutcomeSummary {
  readonly status: RunStatus;
  readonly path: readonly string[];
  readonly output: Json;
  readonly error: RunError | null;
}

/**
 * Makes a test of a recorded run, and plays it once.
 * @returns the test, or the reason why the recording does not play as the run went
 */
export function toRecordedTest(
  whole: Recording,
  payloads: RecordedTest['payloads'],
): RecordedTest | { readonly problem: string } {
  const own = replayRecording(whole);
  if (own.divergence) return { problem: `The run does not replay as it was recorded: ${describeDivergence(own)}` };
  const recording = payloads === 'all' ? whole : hideRecording(whole);
  if (!recording) return { problem: `The run is a fork, and began with a state that hides values. ${WITH_PAYLOADS}` };
  const test = { holdfast: 1, payloads, recording } as const;
  const replayed = replayTest(test);
  if (replayed.divergence)
    return {
      problem: `The way of the run depends on values that it hides: ${describeDivergence(replayed)}. ${WITH_PAYLOADS}`,
    };
  return { ...test, expect: outcomeOfReplay(own, redactionOfTest(test)) };
}

const WITH_PAYLOADS = '--with-payloads records them';

function describeDivergence({ divergence }: ReplayedRun): string {
  return divergence ? `they part at ${nameEvent(divergence.expected ?? divergence.actual)}` : '';
}

/** Names an event and its node, such as `event 12, tool.requested at pay`. */
export function nameEvent(event: RunEvent | null): string {
  if (!event) return 'the end';
  const node =
    'node' in event && event.node !== undefined ? ` at ${[...(event.path ?? []), event.node].join('/')}` : '';
  return `event ${event.seq}, ${event.type}${node}`;
}

/** Replays a test, under its own definition or another one; people then act by node and in their order. */
export function replayTest(
  test: Pick<RecordedTest, 'payloads' | 'recording'>,
  definition?: Recording['definition'],
): ReplayedRun {
  const hidden = redactionOfTest(test);
  const view = isRedacting(hidden) ? (event: RunEvent) => hideEvent(event, hidden) : undefined;
  return replayRecording(test.recording, { view, ...(definition && { definition, afterDivergence: 'actions' }) });
}

/** The hidden values that a test does not have. */
export function redactionOfTest({ payloads, recording }: Pick<RecordedTest, 'payloads' | 'recording'>): Redaction {
  return payloads === 'redacted' ? recording.redaction : NOTHING_REDACTED;
}

export function outcomeOfReplay(
  { run, events }: Pick<ReplayedRun, 'run' | 'events'>,
  hidden: Redaction,
): OutcomeSummary {
  const { status, output, error } = toRunView(run);
  return {
    status,
    path: nodePathOf(events),
    output: hideOutput(output, hidden),
    error: error && hideRunError(error, hidden),
  };
}

/** Reads the JSON of a file. @throws TypeError if it is no test that `holdfast promote` has written */
export function readRecordedTest(value: unknown): RecordedTest {
  if (!isRecordedTest(value)) throw new TypeError('It is no recorded run that "holdfast promote" has written');
  if (value.holdfast !== 1) throw new TypeError(`Its format ${JSON.stringify(value.holdfast)} is not known; 1 is`);
  return value;
}

function isRecordedTest(value: unknown): value is RecordedTest {
  if (!isJsonObject(value) || !isJsonObject(value['recording']) || !isJsonObject(value['expect'])) return false;
  const { events, occurrences, answers, definition } = value['recording'];
  return (
    'holdfast' in value &&
    [events, occurrences].every((list) => Array.isArray(list)) &&
    [answers, definition].every(isJsonObject)
  );
}
