import type { Json, JsonObject } from '../json.ts';
import type { Clock, ModelNeeds } from '../run.ts';
import type { Scope, TaskFailure } from '../scope.ts';
import { isHeldBack, isOver } from './tool-calls/batch.ts';
import type { Batch } from './tool-calls/batch.ts';
import type { Outcome } from './runner.ts';
import type { Talk } from './model/talk.ts';
import type { TurnPosition } from './model/model-turn.ts';

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
export type KeptPosition = BegunPosition | FinishedPosition;

/** A part is done. */
export type BegunPosition = AgentPosition | CallsPosition | SubgraphPosition;

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

export interface LlmPosition extends Timed {
  readonly kind: 'llm';
  readonly talk: Talk;
  readonly turn: TurnPosition;
}

/** Either a model is asked, or the tool calls of its last answer are at work. */
export interface AgentPosition {
  readonly kind: 'agent';
  readonly talk: Talk;
  readonly turn: TurnPosition | null;
  readonly batch: Batch;
  /** Turns so far in which the model has asked for tools. */
  readonly iterations: number;
  /** The model is asked without tools: the loop ends with its answer. */
  readonly isLast: boolean;
  readonly stopwatch: Stopwatch;
}

/** What is kept of the deadline that several calls share: nothing where there is none. */
export interface Timed {
  readonly stopwatch?: Stopwatch;
}

/** Time that counts for the deadline of several calls: none counts while a node only waits for people. Milliseconds. */
export interface Stopwatch {
  readonly usedMs: number;
  /** When it was read last. */
  readonly at: number;
}

/** The tool calls that a message asks for are at work. */
export interface CallsPosition extends Timed {
  readonly kind: 'calls';
  readonly batch: Batch;
  /** Calls made so far by this task. */
  readonly made: number;
}

/** The graph inside has begun, and is where its scope says. */
export interface SubgraphPosition extends Clocked {
  readonly kind: 'subgraph';
  readonly scope: Scope;
  /** What it begins with. */
  readonly input: JsonObject;
  /** It fails with it, once the calls inside that are out have come back. */
  readonly failing?: TaskFailure;
}

/** What a deadline holds for that is no single call. */
interface Clocked {
  /** What is left of the deadline; without one it has all of it. */
  readonly clock?: Clock;
}

export interface WaitPosition extends Clocked {
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

/** The tool calls that a task at this position has been asked to make, with their states. */
export function batchOf(position: NodePosition): Batch {
  return position.kind === 'agent' || position.kind === 'calls' ? position.batch : [];
}

/** The approvals that a task at this position has asked for and waits for. */
export function approvalsAt(position: NodePosition): readonly string[] {
  if (position.kind === 'approval') return [position.approvalId];
  return batchOf(position).flatMap(({ state }) => (state.phase === 'asked' ? [state.approvalId] : []));
}

/** Whether a call waits until one more of the run's calls may be out: a tool's, or that of the model that is told of all. */
export function wantsCapacity(position: NodePosition): boolean {
  const batch = batchOf(position);
  return position.kind === 'approved' || isHeldBack(batch) || (batch.length > 0 && isOver(batch));
}

/** What the call of a model needs of the budgets that waits until there is room for it; `null`: none does. */
export function needsAt(position: NodePosition): ModelNeeds | null {
  const turn = position.kind === 'llm' || position.kind === 'agent' ? position.turn : null;
  return turn?.key === null ? turn.needs : null;
}

export function isKept(position: NodePosition): position is BegunPosition {
  return position.kind === 'agent' || position.kind === 'calls' || position.kind === 'subgraph';
}
