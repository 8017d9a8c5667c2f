import type { LocalOutcome } from '../activities/calls/call-task.ts';
import { MAX_INLINE_BYTES } from '../graph/values/index.ts';

/**
 * The bursts in which local calls are made. During a burst, the workflow task stays open: the server receives no command of
 * the run, such as another call or the journal, and the run receives no signal. So a burst is limited in time.
 *
 * A burst has rounds of calls that are open at the same time. Their results are processed when all have ended, in the order
 * of their beginning, because a replay reports all results at once, not in the order of their arrival.
 */
export interface LocalBursts<Call> {
  /** True if one more call may begin in the open round. */
  hasRoom(): boolean;
  /** True while calls are open. */
  isOpen(): boolean;
  begin(call: Call): void;
  /** Records the end of a call. @returns true if it was the last of its round, so all ends were handled */
  end(call: Call, end: KnownEnd): boolean;
  /** Ends the burst after the open calls, because an activity was requested, which waits for the end of the burst. */
  endAfterOpenCalls(): void;
  /** Begins a new burst, because another workflow task has begun. */
  enterTask(): void;
}

/** The end of a local call, before it is handled. */
export interface KnownEnd {
  /** `null` if the activity did not run to its end. */
  readonly outcome: LocalOutcome | null;
  /** Handles the end when the round is over. */
  readonly handle: () => void;
}

/** By the worker's clock, because the workflow's clock does not advance between two calls. */
const BURST_MS = 1_000;
/** The server accepts 4 MiB in one request; other calls have as much of it (`request-room.ts`). */
const MAX_BURST_BYTES = 1_250_000;
/** The bytes of a call's marker without the result. */
const MARKER_BYTES = 1_000;
const MAX_MARKER_BYTES = MARKER_BYTES + MAX_INLINE_BYTES;

export function createLocalBursts<Call>(): LocalBursts<Call> {
  /** The calls of the round in order of their beginning, with their ends, if they have ended. */
  const round = new Map<Call, KnownEnd | null>();
  let burst = NEW_BURST;
  return {
    hasRoom() {
      const { span, bytes, isActivityWaiting } = burst;
      if (bytes + (round.size + 1) * MAX_MARKER_BYTES > MAX_BURST_BYTES) return false;
      return span === null || (!isActivityWaiting && span.endedAt - span.startedAt < BURST_MS);
    },
    isOpen: () => round.size > 0,
    begin: (call) => void round.set(call, null),
    end(call, end) {
      round.set(call, end);
      const ends = [...round.values()].filter((one) => one !== null);
      if (ends.length < round.size) return false;
      round.clear();
      for (const { outcome } of ends) burst = addToBurst(burst, outcome);
      for (const { handle } of ends) handle();
      return true;
    },
    endAfterOpenCalls: () => void (burst = { ...burst, isActivityWaiting: true }),
    enterTask: () => void (burst = NEW_BURST),
  };
}

/** The ended local calls of one workflow task. */
interface CallBurst {
  /** The time from the first beginning to the last end; `null` before the first end. */
  readonly span: Pick<LocalOutcome, 'startedAt' | 'endedAt'> | null;
  /** The bytes of their markers. */
  readonly bytes: number;
  /** True if a requested activity waits for the end of the burst. */
  readonly isActivityWaiting: boolean;
}

const NEW_BURST: CallBurst = { span: null, bytes: 0, isActivityWaiting: false };

function addToBurst({ span, bytes, isActivityWaiting }: CallBurst, outcome: LocalOutcome | null): CallBurst {
  return {
    span: outcome ? joinSpans(span ?? outcome, outcome) : span,
    bytes: bytes + MARKER_BYTES + Math.min(outcomeBytes(outcome), MAX_INLINE_BYTES),
    isActivityWaiting,
  };
}

function outcomeBytes(outcome: LocalOutcome | null): number {
  return outcome?.kind === 'made' ? outcome.bytes : JSON.stringify(outcome).length;
}

type BurstSpan = NonNullable<CallBurst['span']>;

function joinSpans(a: BurstSpan, b: BurstSpan): BurstSpan {
  return { startedAt: Math.min(a.startedAt, b.startedAt), endedAt: Math.max(a.endedAt, b.endedAt) };
}
