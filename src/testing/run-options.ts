import type { StateGraph } from '../builder/state-graph.ts';
import type { Channels } from '../builder/channel-update.ts';
import type { GraphDefinition, Limits } from '../graph/definition/index.ts';
import type { Principal } from '../graph/run/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';
import type { Decision } from './answers.ts';
import type { Fakes } from './fakes.ts';

/** All that a run under test meets. */
export interface RunOptions extends Fakes {
  /** What people decide, in this order. */
  readonly decisions?: readonly Decision[] | undefined;
  /** Events for `wait` nodes. */
  readonly events?: readonly TestEvent[] | undefined;
  /** Signals of other kinds, such as `cancel`, `pause`, `resume` and `edit`. */
  readonly signals?: readonly TestSignal[] | undefined;
  /** The start of the test's clock, and its end. */
  readonly clock?: Clock | undefined;
  /** Published graphs that nodes name. */
  readonly graphs?: Readonly<Record<string, AnyGraph>> | undefined;
  /** Who starts the run; by default `requester`, with the role `user`. */
  readonly startedBy?: Principal | undefined;
  /** Limits of this run, within those of its graph. */
  readonly limits?: Limits | undefined;
}

export type AnyGraph = GraphDefinition | Pick<StateGraph<Channels, string>, 'toJSON'>;

/** An event that comes from outside. */
export interface TestEvent {
  readonly name: string;
  readonly payload?: Json | undefined;
  /** The time since the start of the run, such as `1h`; by default at the start, and kept for the node that waits. */
  readonly after?: string | undefined;
}

/** A signal as the API sends it. */
export interface TestSignal {
  readonly signal: string;
  readonly payload?: JsonObject | undefined;
  /** The time since the start of the run, such as `1h`. */
  readonly after?: string | undefined;
  readonly by?: Principal | undefined;
}

/** The test's clock, which skips all waiting. */
export interface Clock {
  /** RFC 3339; by default `2026-01-01T00:00:00Z`. */
  readonly start?: string | undefined;
  /** Lets at least this time pass before the run is left waiting, such as `8d`: time-outs before it come. */
  readonly until?: string | undefined;
}
