import type { Message } from '../message.ts';

/** Where a node task stands between two occurrences; each node type has its own kind. */
export type NodePosition = CallPosition | LlmPosition | ApprovalPosition;

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

export interface ApprovalPosition {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly timerId: string;
}
