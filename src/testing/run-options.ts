import type { StateGraph } from '../builder/state-graph.ts';
import type { Channels } from '../builder/channel-update.ts';
import type { GraphDefinition, Limits } from '../graph/definition/index.ts';
import type { Principal } from '../graph/run/index.ts';
import type { Decision } from '../simulation/decisions.ts';
import type { Clock, TestEvent, TestSignal } from '../simulation/plan-outside.ts';
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
