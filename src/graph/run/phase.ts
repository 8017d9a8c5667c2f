import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import type { AwaitedPerson } from './compensation.ts';
import type { Scope } from './scope.ts';

/** The stages of a run from its beginning to its end. */
export type RunPhase =
  | RunningPhase
  /** The run waits for people, events or timers. */
  | { readonly kind: 'waiting' }
  | PausedPhase
  | FailingPhase
  | CancelingPhase
  | ClosingPhase
  | ClosingFailedPhase
  | EndedPhase;

/** The run works, or is about to open its next superstep. */
export interface RunningPhase {
  readonly kind: 'running';
  /** A person or a node has requested a stop after the open superstep. */
  readonly pause: PauseRequest | null;
}

/** The run is stopped at a breakpoint, or by a person or a node, since a time in milliseconds since the epoch. */
export interface PausedPhase {
  readonly kind: 'paused';
  readonly since: number;
}

/** A run that ends once its calls have returned and its work is compensated. */
interface CompensatingFields {
  /** The person for whom the latest compensation waits; `null` for none. */
  readonly awaits: AwaitedPerson | null;
}

/** The run fails after its calls return and its compensation is done. */
export interface FailingPhase extends CompensatingFields {
  readonly kind: 'failing';
  readonly error: RunError;
}

/** A person ends the run: its calls return, and its work is compensated. */
export interface CancelingPhase extends Cancellation, CompensatingFields {
  readonly kind: 'canceling';
}

/** The graph's `onCancel` node runs after the compensation. */
export interface ClosingPhase extends Cancellation {
  readonly kind: 'closing';
  /**
   * Nodes with calls of unknown outcome. They are saved here, because the `onCancel` node's superstep replaces their
   * tasks.
   */
  readonly unknown: readonly string[];
}

/** The graph's `onFail` node runs after the compensation. The run then fails with the error. */
export interface ClosingFailedPhase {
  readonly kind: 'closing-failed';
  readonly error: RunError;
  readonly failedAt: FailedPosition;
}

/** The position at which a run has failed. It is restored at the end, because a retry continues there. */
export interface FailedPosition extends Pick<Scope, 'step' | 'at' | 'deferred'> {
  /** Keys of calls whose usage is counted, as in `Run`. */
  readonly counted: readonly string[];
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
