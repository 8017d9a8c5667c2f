import type { Message } from '../message.ts';
import type { JsonObject } from '../json.ts';
import type { Scope } from '../scope.ts';

/** Where a node task stands between two occurrences; each node type has its own kind. */
export type NodePosition = CallPosition | LlmPosition | ApprovalPosition | SubgraphPosition | WaitPosition;

/** One call is out, and nothing else is to be known. */
export interface CallPosition {
  readonly kind: 'call';
  readonly key: string;
}

export interface LlmPosition {
  readonly kind: 'llm';
  readonly key: string;
  /** Which of the node's models is asked. */
  readonly model: number;
  /** Calls made so far by this task; the number of the one that is out. */
  readonly call: number;
  /** Replies that broke the output schema, each followed by what was wrong with it. */
  readonly corrections: readonly Message[];
}

/** The graph inside has begun, and is where its scope says. */
export interface SubgraphPosition {
  readonly kind: 'subgraph';
  readonly scope: Scope;
  /** What it begins with. */
  readonly input: JsonObject;
}

export interface WaitPosition {
  readonly kind: 'wait';
  /** The name of the event that is waited for; `null`: the timer only. */
  readonly event: string | null;
  readonly timerId: string | null;
  /** RFC 3339, as `deadline`. */
  readonly since: string;
  readonly deadline: string | null;
}

export interface ApprovalPosition {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly timerId: string;
}
