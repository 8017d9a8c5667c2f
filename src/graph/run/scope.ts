import type { Update } from '../channels/channel.ts';
import type { TaskFailure } from '../values/errors.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { Countdown } from './countdown.ts';
import type { Conversation, TurnPosition } from './model-turn.ts';
import type { ToolBatch } from './tool-batch.ts';

/** One activation of a graph: its state, and where it stands. A run's own graph is its root scope. */
export interface Scope {
  /** Number of the superstep that is open or comes next; the first is 0. */
  readonly step: number;
  readonly channels: Readonly<Record<string, Json>>;
  readonly at: ScopePosition;
  /** Deferred nodes that were triggered and wait until nothing else is left. */
  readonly deferred: readonly Trigger[];
  /** For each join, by its edge's number, the sources that have finished since it last fired. */
  readonly joins: Readonly<Record<string, readonly string[]>>;
  readonly visits: Readonly<Record<string, number>>;
  /** How many messages have been given an id here. */
  readonly messages: number;
}

/** Where a graph stands. */
export type ScopePosition = ReadyScope | RunningScope | FiringScope | ScopeBefore | ScopeAfter;

/** The next superstep may open; where nothing is triggered or deferred, the graph has finished. */
export interface ReadyScope {
  readonly kind: 'ready';
  readonly triggers: readonly Trigger[];
  /** It has stood at the breakpoint before these nodes. */
  readonly hasPassedBreakpoint: boolean;
}

/** A superstep is open. */
export interface RunningScope {
  readonly kind: 'running';
  /** In node-id order, then element order: the order in which writes are applied. */
  readonly tasks: readonly NodeTask[];
}

/** Nodes have finished, and their edges are still to be evaluated. */
export interface FiringScope {
  readonly kind: 'edges';
  readonly finished: readonly string[];
  /** What runs next in any case. */
  readonly triggers: readonly Trigger[];
}

/** It stands at a breakpoint before nodes that run next. */
export interface ScopeBefore {
  readonly kind: 'before';
  readonly nodes: readonly string[];
  readonly triggers: readonly Trigger[];
}

/** It stands at a breakpoint after nodes; `next` is where their edges lead as the state is now. */
export interface ScopeAfter extends Omit<FiringScope, 'kind'> {
  readonly kind: 'after';
  readonly nodes: readonly string[];
  readonly next: readonly string[];
}

/** A node to run, once or for an element of a list. */
export interface Trigger {
  readonly node: string;
  readonly element?: { readonly item: Json; readonly index: number; readonly group?: ConcurrencyGroup };
}

/** The elements of one `forEach`, of which so many may be open at a time. */
export interface ConcurrencyGroup {
  readonly id: string;
  readonly width: number;
}

/** One execution of a node within a superstep. */
export interface NodeTask {
  /** Unique in its superstep: the node's id, with `#n` for the n-th element. */
  readonly key: string;
  readonly node: string;
  readonly visit: number;
  readonly index: number | null;
  readonly item: Json;
  readonly group: ConcurrencyGroup | null;
  /** Goes up when a person has a call made again that is known to have failed; part of the call's key. */
  readonly retryRound: number;
  /** Goes up when a person orders a call again whose outcome is unknown; it takes over the ledger's claim. */
  readonly takeover: number;
  readonly state: TaskState;
}

export type TaskState =
  /** With what is `kept` it goes on from there. */
  | { readonly phase: 'ready'; readonly saved?: SavedProgress }
  | { readonly phase: 'open'; readonly position: NodePosition }
  | ({ readonly phase: 'intervention'; readonly since: string } & Failed)
  | {
      readonly phase: 'completed';
      readonly update: Update;
      readonly goto: Goto | null;
      /** What the update was made of. */
      readonly outcome: Outcome;
    }
  | ({ readonly phase: 'diverted'; readonly update: Update; readonly to: string } & Failed)
  | ({ readonly phase: 'failed' } & Failed);

interface Failed {
  readonly failure: TaskFailure;
  /** What is done already, so that a retry goes on from there. */
  readonly saved: SavedProgress | null;
}

/** Where a node itself sends the run: besides its edges, or instead of them. */
export interface Goto {
  readonly nodes: readonly string[];
  readonly ignoresEdges: boolean;
}

/** Where a node task stands between two occurrences; its kind says what it waits for. */
export type NodePosition =
  | CallPosition
  | LlmPosition
  | AgentPosition
  | CallsPosition
  | ApprovalPosition
  | ApprovedPosition
  | SubgraphPosition
  | WaitPosition;

/** What is done of a task that must not be done again: a task that failed goes on from there. */
export type SavedProgress = ResumablePosition | FinishedPosition;

/** A part is done. */
export type ResumablePosition = AgentPosition | CallsPosition | SubgraphPosition;

/** All is done, but the state has not taken what the task writes. */
export interface FinishedPosition {
  readonly kind: 'finished';
  readonly outcome: Outcome;
}

/** One call is out, and nothing else is to be known. */
export interface CallPosition {
  readonly kind: 'call';
  readonly key: string;
}

export interface LlmPosition extends WithDeadline {
  readonly kind: 'llm';
  readonly conversation: Conversation;
  readonly turn: TurnPosition;
}

/** Either a model is asked, or the tool calls of its last answer are at work. */
export interface AgentPosition extends WithDeadline {
  readonly kind: 'agent';
  readonly conversation: Conversation;
  readonly turn: TurnPosition | null;
  readonly batch: ToolBatch;
  /** Turns so far in which the model has asked for tools. */
  readonly iterations: number;
  /** The model is asked without tools: the loop ends with its answer. */
  readonly isLast: boolean;
}

/** The tool calls that a message asks for are at work. */
export interface CallsPosition extends WithDeadline {
  readonly kind: 'calls';
  readonly batch: ToolBatch;
  /** Calls made so far by this task. */
  readonly callsMade: number;
}

/** The graph inside has begun, and is where its scope says. */
export interface SubgraphPosition extends WithDeadline {
  readonly kind: 'subgraph';
  readonly scope: Scope;
  /** What it begins with. */
  readonly input: JsonObject;
  /** It fails with it, once the calls inside that are out have come back. */
  readonly failing?: TaskFailure;
}

/** What a deadline holds for that is no single call: it counts while something is at work, not while people are awaited. */
export interface WithDeadline {
  /** What is left of the deadline; without one it has all of it, or there is none. */
  readonly countdown?: Countdown;
}

export interface WaitPosition extends WithDeadline {
  readonly kind: 'wait';
  /** The name of the event that is waited for; `null`: the timer only. */
  readonly event: string | null;
  readonly timerId: string | null;
  /** RFC 3339, as `deadline`. */
  readonly since: string;
  /** When it goes on by itself. */
  readonly deadline: string | null;
}

export interface ApprovalPosition {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly timerId: string;
}

/** A person has approved a call, which is made as soon as one more may be out. */
export interface ApprovedPosition {
  readonly kind: 'approved';
  readonly args: Json;
}

/** What a task that has done its work gives: a retry writes it again, and does nothing else. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: Json; readonly update?: Update }
  | { readonly kind: 'commanded'; readonly command: Command };

/** What code may say to the engine instead of giving a result. */
export interface Command {
  readonly update: Update;
  readonly goto: readonly string[];
  readonly control: 'continue' | 'pause' | 'abort' | 'replan';
  readonly reason: string | null;
}
