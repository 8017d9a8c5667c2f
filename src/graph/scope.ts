import type { RunError } from './errors.ts';
import type { Json } from './json.ts';
import type { KeptPosition, NodePosition } from './nodes/position.ts';
import type { Outcome } from './nodes/runner.ts';

/** One activation of a graph: its state and its place. A run's own graph is its root scope. */
export interface Scope {
  /** Number of the superstep that is open or comes next; the first is 0. */
  readonly step: number;
  readonly channels: Readonly<Record<string, Json>>;
  /** What the next superstep runs. */
  readonly triggers: readonly Trigger[];
  /** Deferred nodes that were triggered and wait until nothing else is left. */
  readonly deferred: readonly Trigger[];
  /** For each join, by its edge's number, the sources that have finished since it last fired. */
  readonly joins: Readonly<Record<string, readonly string[]>>;
  readonly visits: Readonly<Record<string, number>>;
  readonly superstep: Superstep | null;
  /** Nodes that have finished and whose edges are still to be evaluated. */
  readonly unfired: readonly string[];
  /** How many messages have been given an id here. */
  readonly messages: number;
  /** The breakpoint at which this graph stands. */
  readonly hold: Hold | null;
  /** The breakpoint before the next superstep has been passed. */
  readonly hasPassed: boolean;
}

/** A stop at a breakpoint: before the nodes that run next, or after nodes whose edges are still to be evaluated. */
export type Hold =
  | { readonly at: 'before'; readonly nodes: readonly string[] }
  | { readonly at: 'after'; readonly nodes: readonly string[]; readonly next: readonly string[] };

/** A node to run, once or for an element of a list. */
export interface Trigger {
  readonly node: string;
  readonly element?: { readonly item: Json; readonly index: number; readonly lane?: Lane };
}

/** The elements of one `forEach`, of which so many may be open at a time. */
export interface Lane {
  readonly id: string;
  readonly width: number;
}

export interface Superstep {
  /** In node-id order, then element order: the order in which writes are applied. */
  readonly tasks: readonly NodeTask[];
}

/** One execution of a node within a superstep. */
export interface NodeTask {
  /** Unique in its superstep: the node's id, with `#n` for the n-th element. */
  readonly key: string;
  readonly node: string;
  readonly visit: number;
  readonly index: number | null;
  readonly item: Json;
  readonly lane: Lane | null;
  /** Goes up when a person has a call made again that is known to have failed; part of the call's key. */
  readonly round: number;
  /** Goes up when a person orders a call again whose outcome is unknown; it takes over the ledger's claim. */
  readonly order: number;
  readonly state: TaskState;
}

export type TaskState =
  /** With what is `kept` it goes on from there. */
  | { readonly phase: 'ready'; readonly kept?: KeptPosition }
  | { readonly phase: 'open'; readonly position: NodePosition }
  | ({ readonly phase: 'intervention'; readonly since: string } & Failed)
  | {
      readonly phase: 'completed';
      readonly update: Update;
      readonly jump: Jump | null;
      /** What the update was made of. */
      readonly outcome: Outcome;
    }
  | ({ readonly phase: 'diverted'; readonly update: Update; readonly to: string } & Failed)
  | ({ readonly phase: 'failed' } & Failed);

interface Failed {
  readonly failure: TaskFailure;
  /** What is done already, so that a retry goes on from there. */
  readonly kept: KeptPosition | null;
}

/** Where a node itself sends the run: besides its edges, or instead of them. */
export interface Jump {
  readonly nodes: readonly string[];
  readonly ignoresEdges: boolean;
}

/** What a node writes, by channel. */
export type Update = Readonly<Record<string, Json>>;

export interface TaskFailure {
  readonly error: RunError;
  /** True when a call is known to have failed: a retry makes it under a new key. Otherwise a retry asks under the same key, and finds what was done. */
  readonly callFailed: boolean;
}
