import type { Message, NewMessage } from '../definition/message.ts';
import type { ModelReply } from './effect.ts';
import type { ModelNeeds } from './limits.ts';

/** A task's exchange with a model, without the conversation that it began with. */
export interface Conversation {
  /** The model's requests for tools, and the answers to them. */
  readonly messages: readonly NewMessage[];
  /** The number of model and tool calls so far; the next call's number makes its key unique. */
  readonly callsMade: number;
  /** Replaces the first messages, which no longer fit. */
  readonly summary: Summary | null;
  readonly usage: ModelReply['usage'];
}

export interface Summary {
  /** The number of messages that it replaces. */
  readonly messages: number;
  /** The id of the last replaced message. */
  readonly last: string | null;
  readonly text: string;
}

export const EMPTY_CONVERSATION: Conversation = {
  messages: [],
  callsMade: 0,
  summary: null,
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** Adds the usage of a reply. */
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

/** The purpose of a model call. */
export interface ModelQuestion {
  /** The index of the model among the node's models. */
  readonly model: number;
  /** Replies that broke the output schema, each followed by the validation message. */
  readonly corrections: readonly NewMessage[];
  /** The number of first messages to summarize; `null` if the call asks for the answer itself. */
  readonly summarizing: number | null;
}

/** The id of the message that a node begins a conversation with, if no channel does. */
export const PROMPT = 'prompt';

/** What the ids of messages begin with that ask for a summary; no other message of a request has such an id. */
export const SUMMARY_REQUEST = 'summarize';

/** True if a request asks for a summary, which no reader of the answer is to see. */
export function asksForSummary({ messages }: { readonly messages: readonly Pick<Message, 'id'>[] }): boolean {
  return messages.at(-1)?.id.startsWith(`${SUMMARY_REQUEST}-`) === true;
}

/** The progress of one answer: its call is open, or waits for the budgets. */
export type TurnPosition = ModelQuestion &
  ({ readonly key: string } | { readonly key: null; readonly needs: ModelNeeds });
