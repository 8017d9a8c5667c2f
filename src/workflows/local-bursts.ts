import type { LocalOutcome } from '../activities/calls/call-task.ts';
import { MAX_INLINE_BYTES } from '../graph/values/index.ts';

/**
 * The bursts in which local calls are made. While they are made, their workflow task stays open: the server gets no command
 * of the run, such as another call or the journal, and the run gets no signal. So a burst ends after a time.
 *
 * A burst has rounds of calls that are open together. Their ends are handled when all have ended, in the order in which they
 * began: a replay reports all ends at once, and not in the order in which they came.
 */
export interface LocalBursts<Call> {
  /** True if one more call may begin in the open round. */
  hasRoom(): boolean;
  /** True while calls are open. */
  isOpen(): boolean;
  begin(call: Call): void;
  /** Takes note of the end of a call. @returns true if it was the last one of its round: all ends are handled then */
  end(call: Call, end: KnownEnd): boolean;
  /** An activity has been asked for: it should not wait for calls that come after those which are open. */
  othersWait(): void;
  /** Another workflow task has begun, and a new burst with it. */
  enterTask(): void;
}

/** The end of a local call, before it is handled. */
export interface KnownEnd {
  /** `null`: the activity was not made to its end. */
  readonly outcome: LocalOutcome | null;
  /** Handles the end when the round is over. */
  readonly handle: () => void;
}

/** By the worker's clock: the workflow's own stands still between two calls. */
const BURST_MS = 1_000;
/** The server takes 4 MiB in one request, in which other calls have as much (`request-room.ts`). */
const MAX_BURST_BYTES = 1_250_000;
/** Bytes of a call besides its result. */
const MARKER_BYTES = 1_000;
const MAX_MARKER_BYTES = MARKER_BYTES + MAX_INLINE_BYTES;

export function createLocalBursts<Call>(): LocalBursts<Call> {
  /** The calls of the round in their order, with the ends that are known. */
  const round = new Map<Call, KnownEnd | null>();
  let burst = NEW_BURST;
  return {
    hasRoom() {
      const { span, bytes, doOthersWait } = burst;
      if (bytes + (round.size + 1) * MAX_MARKER_BYTES > MAX_BURST_BYTES) return false;
      return span === null || (!doOthersWait && span.endedAt - span.startedAt < BURST_MS);
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
    othersWait: () => void (burst = { ...burst, doOthersWait: true }),
    enterTask: () => void (burst = NEW_BURST),
  };
}

/** The local calls of one workflow task that have ended. */
interface Burst {
  /** `null`: there is none yet. */
  readonly span: Pick<LocalOutcome, 'startedAt' | 'endedAt'> | null;
  /** Of their markers. */
  readonly bytes: number;
  /** The server does not know yet of another call of the run. */
  readonly doOthersWait: boolean;
}

const NEW_BURST: Burst = { span: null, bytes: 0, doOthersWait: false };

function addToBurst({ span, bytes, doOthersWait }: Burst, outcome: LocalOutcome | null): Burst {
  return {
    span: outcome ? joined(span ?? outcome, outcome) : span,
    bytes: bytes + MARKER_BYTES + Math.min(bytesOf(outcome), MAX_INLINE_BYTES),
    doOthersWait,
  };
}

function bytesOf(outcome: LocalOutcome | null): number {
  return outcome?.kind === 'made' ? outcome.bytes : JSON.stringify(outcome).length;
}

type Span = NonNullable<Burst['span']>;

function joined(a: Span, b: Span): Span {
  return { startedAt: Math.min(a.startedAt, b.startedAt), endedAt: Math.max(a.endedAt, b.endedAt) };
}
