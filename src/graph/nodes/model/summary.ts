import { HEADING, SUMMARY_ID } from '../../definition/message.ts';
import type { Message, NewMessage } from '../../definition/message.ts';
import type { Summary } from '../../run/model-turn.ts';

/** A conversation as it is sent: `head`, the summary and the covered instructions, then `rest`. */
export interface ShortenedConversation {
  /** The messages that the head replaces. */
  readonly covered: readonly Message[];
  readonly head: readonly Message[];
  readonly rest: readonly Message[];
}

/** Replaces the covered messages by their summary. A summary whose last message has been edited away covers none. */
export function shorten(messages: readonly Message[], summary: Summary | null): ShortenedConversation {
  if (!summary || messages[summary.messages - 1]?.id !== summary.last) return { covered: [], head: [], rest: messages };
  const covered = messages.slice(0, summary.messages);
  const instructions = covered.filter(({ role }) => role === 'system');
  return {
    covered,
    head: [...instructions, { id: SUMMARY_ID, role: 'user', content: `${HEADING}${summary.text}` }],
    rest: messages.slice(summary.messages),
  };
}

/** Makes a summary that covers the old one's messages and the first `count` messages of the rest. */
export function extendSummary({ covered, rest }: ShortenedConversation, count: number, text: string): Summary {
  const messages = [...covered, ...rest.slice(0, Math.max(0, count))];
  return { messages: messages.length, last: messages.at(-1)?.id ?? null, text };
}

/** The request for a summary of the messages before it. A model that knows its length is seldom cut off. */
export function summaryRequest(tokens: number): NewMessage {
  const words = Math.max(1, Math.min(MAX_SUMMARY_WORDS, Math.floor(tokens / TOKENS_PER_WORD)));
  const content =
    'Summarize the conversation above for yourself: facts, decisions, results of tools, open questions. ' +
    `Write the summary only, in ${words} words at most.`;
  return { role: 'user', content };
}

const MAX_SUMMARY_WORDS = 500;

/** An estimate for most languages, with some room. */
const TOKENS_PER_WORD = 2;

/** Token limit of a summary: a quarter of the context, at most `MAX_SUMMARY_TOKENS`. */
export function summaryTokens(contextTokens: number | null): number {
  return contextTokens === null
    ? MAX_SUMMARY_TOKENS
    : Math.max(1, Math.min(MAX_SUMMARY_TOKENS, Math.floor(contextTokens / 4)));
}

/** Far more than the words take: what a model thinks before counts, too. */
const MAX_SUMMARY_TOKENS = 4_000;
