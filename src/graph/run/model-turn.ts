import type { NewMessage } from '../definition/message.ts';
import type { ModelReply } from './effect.ts';
import type { ModelNeeds } from './spending.ts';

/** What a task has said with a model so far, besides the conversation that it began with. */
export interface Conversation {
  /** The model's requests for tools, and the answers to them. */
  readonly messages: readonly NewMessage[];
  /** Calls made so far, of models and tools: the number of the next one, which tells their keys apart. */
  readonly callsMade: number;
  /** Stands in for the first messages, which do not fit any more. */
  readonly summary: Summary | null;
  readonly usage: ModelReply['usage'];
}

export interface Summary {
  /** How many messages it stands for. */
  readonly messages: number;
  /** The id of the last of these. */
  readonly last: string | null;
  readonly text: string;
}

export const EMPTY_CONVERSATION: Conversation = {
  messages: [],
  callsMade: 0,
  summary: null,
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** Adds what a reply has cost. */
export function withUsage(
  conversation: Conversation,
  { inputTokens, outputTokens }: ModelReply['usage'],
): Conversation {
  const { usage } = conversation;
  return {
    ...conversation,
    usage: { inputTokens: usage.inputTokens + inputTokens, outputTokens: usage.outputTokens + outputTokens },
  };
}

/** What a call of a model is for. */
export interface ModelQuestion {
  /** Which of the node's models is asked. */
  readonly model: number;
  /** Replies that broke the output schema, each followed by what was wrong with it. */
  readonly corrections: readonly NewMessage[];
  /** So many of the first messages are to be summarized; `null`: the answer itself is asked for. */
  readonly summarizing: number | null;
}

/** Where an answer stands: which call is out, or waits for room in the budgets, and what it is for. */
export type TurnPosition = ModelQuestion &
  ({ readonly key: string } | { readonly key: null; readonly needs: ModelNeeds });
