import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';

/** The stages of a run from its beginning to its end. */
export type RunPhase =
  | RunningPhase
  /** For people, events and timers. */
  | { readonly kind: 'waiting' }
  /** At a breakpoint, or because a person or a node has asked for it. */
  | { readonly kind: 'paused' }
  | FailingPhase
  | CancelingPhase
  | ClosingPhase
  | EndedPhase;

/** Something is at work, or begins next. */
export interface RunningPhase {
  readonly kind: 'running';
  /** A person or a node wants the run to stop after the superstep that runs. */
  readonly pause: PauseRequest | null;
}

/** The run fails once its calls have come back and what it did is compensated. */
export interface FailingPhase {
  readonly kind: 'failing';
  readonly error: RunError;
}

/** A person wants the run to end: its calls come back, and what it did is compensated. */
export interface CancelingPhase extends Cancellation {
  readonly kind: 'canceling';
}

/** After that, the graph's `onCancel` node is at work. */
export interface ClosingPhase extends Cancellation {
  readonly kind: 'closing';
  /** What is not compensated: it can't be read from the run any more while that node is at work. */
  readonly left: RunError['cause'] | null;
}

/** The run has ended; `endedAt` is in milliseconds since the epoch. */
export type EndedPhase =
  | { readonly kind: 'completed'; readonly endedAt: number; readonly output: JsonObject }
  | { readonly kind: 'failed'; readonly endedAt: number; readonly error: RunError }
  | (Cancellation & { readonly kind: 'canceled'; readonly endedAt: number; readonly error: RunError | null });

export interface Cancellation {
  readonly by: string;
  readonly reason: string | null;
}

export interface PauseRequest {
  readonly by: string;
  readonly reason: string | null;
}
