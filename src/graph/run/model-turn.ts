import type { NewMessage } from '../definition/message.ts';
import type { ModelReply } from './effect.ts';
import type { ModelNeeds } from './limits.ts';

/** A task's exchange with a model, without the beginning of the conversation. */
export interface ModelConversation {
  /** The model's requests for tools, and the answers to them. */
  readonly messages: readonly NewMessage[];
  /** The number of model and tool calls so far; the next call's number makes its key unique. */
  readonly callsMade: number;
  /** The summary that replaces the first messages, which no longer fit; `null` for none. */
  readonly summary: MessageSummary | null;
  readonly usage: ModelReply['usage'];
}

export interface MessageSummary {
  /** The number of messages that the summary replaces. */
  readonly messages: number;
  /** The id of the last replaced message. */
  readonly last: string | null;
  readonly text: string;
}

export const EMPTY_CONVERSATION: ModelConversation = {
  messages: [],
  callsMade: 0,
  summary: null,
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** Adds the usage of a reply. */
export function addUsage(
  conversation: ModelConversation,
  { inputTokens, outputTokens }: ModelReply['usage'],
): ModelConversation {
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

/** The id of the first message of a conversation that no channel begins. */
export const PROMPT = 'prompt';

/** The prefix of the ids of messages that request a summary. No other message of a request has such an id. */
export const SUMMARY_REQUEST = 'summarize';

/**
 * True if a request is for a summary, which must not be streamed to readers of the answer.
 * @param lastMessageId the id of the request's last message
 */
export function asksForSummary(lastMessageId: string | undefined): boolean {
  return lastMessageId?.startsWith(`${SUMMARY_REQUEST}-`) === true;
}

/** The progress of one answer: its call is open, or waits for budgets. */
export type TurnPosition = ModelQuestion &
  ({ readonly key: string } | { readonly key: null; readonly needs: ModelNeeds });
