import type { UpdateByChannel } from '../channels/channel.ts';
import type { DeferredFailure, TaskFailure } from '../values/errors.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { Countdown } from './limits.ts';
import type { TaskKey } from './ids.ts';
import type { ModelConversation, TurnPosition } from './model-turn.ts';
import type { ToolBatch } from './tool-batch.ts';

/** One activation of a graph: its state and its position. The root scope belongs to the run's own graph. */
export interface Scope {
  /** The number of the open or next superstep, from 0. */
  readonly step: number;
  readonly channels: Readonly<Record<string, Json>>;
  readonly at: ScopePosition;
  /** Triggered deferred nodes. They run when no other node is left to run. */
  readonly deferred: readonly Trigger[];
  /** The sources that have arrived since each join last fired, by the edge's id. */
  readonly joins: Readonly<Record<string, readonly string[]>>;
  readonly visits: Readonly<Record<string, number>>;
  /** The number of messages that have received an id in this scope. */
  readonly messages: number;
  /** The largest number of tasks of a closed superstep, including those of graphs inside; 0 for the run's own graph. */
  readonly widest: number;
}

/** The position of a graph. */
export type ScopePosition = ReadyScope | RunningScope | FiringScope | ScopeBefore | ScopeAfter;

/** The next superstep may open; without triggers and deferred nodes, the graph has finished. */
export interface ReadyScope {
  readonly kind: 'ready';
  readonly triggers: readonly Trigger[];
  /** The graph was already stopped at the breakpoint before these nodes. */
  readonly hasPassedBreakpoint: boolean;
}

/** A superstep is open. */
export interface RunningScope {
  readonly kind: 'running';
  /** The tasks, sorted by node id (`sortedAs`) and then by element. Writes are applied in this order. */
  readonly tasks: readonly NodeTask[];
}

/** Nodes have finished, and their edges have not been evaluated. */
export interface FiringScope {
  readonly kind: 'edges';
  readonly finished: readonly string[];
  /** Triggers that do not depend on those edges. */
  readonly triggers: readonly Trigger[];
}

/** The graph is stopped at a breakpoint before the next nodes. */
export interface ScopeBefore {
  readonly kind: 'before';
  readonly nodes: readonly string[];
  readonly triggers: readonly Trigger[];
}

/** The graph is stopped at a breakpoint after nodes; `next` holds the edge targets in the current state. */
export interface ScopeAfter extends Omit<FiringScope, 'kind'> {
  readonly kind: 'after';
  readonly nodes: readonly string[];
  readonly next: readonly string[];
}

/** A node to run, once or for an element of a list. */
export interface Trigger {
  readonly node: string;
  readonly element?: ListElement;
}

/** An element of the list of a `forEach`. */
export interface ListElement {
  readonly item: Json;
  readonly index: number;
  readonly group?: ConcurrencyGroup;
  /**
   * The node by which the task is sorted: elements of one list stay in their order, whichever nodes they go to. Absent if
   * it is the task's own.
   */
  readonly sortedAs?: string | undefined;
}

/** The elements of one `forEach`; `width` limits the number of open ones. */
export interface ConcurrencyGroup {
  readonly id: string;
  readonly width: number;
}

/** One execution of a node within a superstep. */
export interface NodeTask {
  readonly key: TaskKey;
  readonly node: string;
  readonly visit: number;
  readonly index: number | null;
  readonly item: Json;
  readonly group: ConcurrencyGroup | null;
  /** As in `ListElement`. */
  readonly sortedAs?: string | undefined;
  /** Increases when a person retries a call that is known to have failed; part of the call's key. */
  readonly retryRound: number;
  /** The number of times that a person, or a reopened run, has repeated the task's calls under their keys. */
  readonly takeover: number;
  /** The largest number of tasks of the ended graphs inside; absent if there were none. */
  readonly inside?: number;
  readonly state: TaskState;
}

export type TaskState =
  /** A task with saved progress continues from it. */
  | { readonly phase: 'ready'; readonly saved?: SavedProgress }
  | { readonly phase: 'open'; readonly position: NodePosition }
  | ({
      readonly phase: 'intervention';
      readonly since: string;
      /** The failed call; `null` if the task waited for none. */
      readonly call: VisibleCall | null;
    } & FailureState)
  | {
      readonly phase: 'completed';
      readonly update: UpdateByChannel;
      readonly goto: Goto | null;
      /** The source of the update. */
      readonly outcome: TaskOutcome;
    }
  | ({ readonly phase: 'diverted'; readonly update: UpdateByChannel; readonly to: string } & FailureState)
  | ({ readonly phase: 'failed' } & FailureState);

/** The state of a task in one phase. */
export type TaskStateIn<Phase extends TaskState['phase']> = TaskState & { readonly phase: Phase };

interface FailureState {
  readonly failure: TaskFailure;
  /** The finished part of the work, from which a retry continues. */
  readonly saved: SavedProgress | null;
}

/** Nodes chosen by a node itself, besides its edges or instead of them. */
export interface Goto {
  readonly nodes: readonly string[];
  readonly ignoresEdges: boolean;
}

/** The position of a node task between two occurrences; the kind names the awaited input. */
export type NodePosition =
  | CallPosition
  | ReadingPosition
  | LlmPosition
  | AgentPosition
  | CallsPosition
  | ApprovalPosition
  | ApprovedPosition
  | SubgraphPosition
  | WaitPosition
  | FailingPosition;

/** Finished work that a retry of a failed task must not repeat. */
export type SavedProgress = ResumablePosition | FinishedPosition;

/** A part of the work is finished. */
export type ResumablePosition = AgentPosition | CallsPosition | SubgraphPosition;

/** All work is finished, but the state lacks the task's writes. */
export interface FinishedPosition {
  readonly kind: 'finished';
  readonly outcome: TaskOutcome;
}

/** The visible part of a call. */
export interface VisibleCall {
  readonly key: string;
  /** Absent if the call is not a tool call. */
  readonly tool?: string;
  readonly args: Json;
}

/** The task waits for one call only. */
export interface CallPosition extends VisibleCall {
  readonly kind: 'call';
}

export interface LlmPosition extends WithDeadline {
  readonly kind: 'llm';
  readonly conversation: ModelConversation;
  readonly turn: TurnPosition;
}

export interface AgentPosition extends WithDeadline, WithGraphCalls {
  readonly kind: 'agent';
  readonly conversation: ModelConversation;
  readonly stage: AgentStage;
  /** The number of turns in which the model has requested tools. */
  readonly iterations: number;
  /** The iterations before the last retry of an agent that had used up its turns; absent before such a retry. */
  readonly iterationsBefore?: number;
}

export type AgentStage =
  /** The model must be called next. */
  | { readonly kind: 'asking' }
  /** The task waits for an answer of the model. The last turn has no tools, so its answer ends the loop. */
  | { readonly kind: 'turn'; readonly turn: TurnPosition; readonly isLast: boolean }
  /** The task runs the tool calls of the model's last answer. */
  | { readonly kind: 'batch'; readonly batch: ToolBatch };

/** The task runs the tool calls of a message. */
export interface CallsPosition extends WithDeadline, WithGraphCalls {
  readonly kind: 'calls';
  readonly batch: ToolBatch;
  /** The number of calls made by this task. */
  readonly callsMade: number;
}

/** The graphs that a task runs as tool calls. */
export interface WithGraphCalls {
  /** Their tasks, each with the number of its call as index; absent if there are none. */
  readonly inside?: Scope;
}

/** The subgraph has begun; its scope holds its position. */
export interface SubgraphPosition extends WithDeadline {
  readonly kind: 'subgraph';
  readonly scope: Scope;
  /** The subgraph's input. */
  readonly input: JsonObject;
}

/** A node deadline over several calls. It counts while work is open, and stops while the task only waits for people. */
export interface WithDeadline {
  /** The time left; absent before the countdown starts, and without a deadline. */
  readonly countdown?: Countdown;
}

export interface WaitPosition extends WithDeadline {
  readonly kind: 'wait';
  /** The awaited event's name; `null` if only the timer is awaited. */
  readonly event: string | null;
  readonly timerId: string | null;
  /** RFC 3339, like `deadline`. */
  readonly since: string;
  /** The time at which the wait ends by itself. */
  readonly deadline: string | null;
}

/** The tool's own schema is reading the arguments of the task's call. */
export interface ReadingPosition extends VisibleCall {
  readonly kind: 'reading';
  /** The arguments given by the node. */
  readonly given: Json;
  /** True if a person has approved the arguments that are being read. */
  readonly isApproved: boolean;
}

export interface ApprovalPosition {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly timerId: string;
  /** If the tool's own schema has read the arguments: the node's arguments, and what the schema made of them. */
  readonly read?: { readonly given: Json; readonly args: Json };
}

/**
 * The call is approved or needs no approval, and waits for `maxConcurrency`. So does a call whose arguments must still
 * be read.
 */
export interface ApprovedPosition {
  readonly kind: 'approved';
  readonly args: Json;
  /** The arguments given by the node. */
  readonly given: Json;
  /** True if a person has approved the call. */
  readonly byPerson: boolean;
  /** True if the tool's own schema has read the arguments, or the tool has none. */
  readonly isReady: boolean;
}

/** The task has failed, and ends after its open calls and those of graphs inside it return. */
export interface FailingPosition {
  readonly kind: 'failing';
  readonly failing: DeferredFailure;
  /** The finished part of the work, with the graphs inside whose calls are open. */
  readonly saved: SavedProgress | null;
  /** A call of unknown outcome that the saved progress does not hold. */
  readonly call: VisibleCall | null;
}

/** The result of a finished task; a retry only writes it again. */
export type TaskOutcome = DoneOutcome | CommandedOutcome;

export interface DoneOutcome {
  readonly kind: 'done';
  readonly result: Json;
  readonly update?: UpdateByChannel;
  /** The node at which the run continues, instead of along the edges. */
  readonly goto?: string;
}

export interface CommandedOutcome {
  readonly kind: 'commanded';
  readonly command: Command;
}

/** Instructions of code to the engine, returned instead of a result. */
export interface Command {
  readonly update: UpdateByChannel;
  readonly goto: readonly string[];
  readonly control: 'continue' | 'pause' | 'abort' | 'replan';
  readonly reason: string | null;
}
