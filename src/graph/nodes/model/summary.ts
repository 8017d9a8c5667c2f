import type { Message, NewMessage } from '../../definition/message.ts';
import type { Summary } from '../../run/model-turn.ts';
import { SUMMARY_ID, HEADING } from '../../definition/message.ts';

/** The longest that a summary may get, in tokens. */
const MAX_TOKENS = 1_000;

/** A conversation as it is sent: the `head` takes the place of what is `covered`, and instructions stay in it. */
export interface Shortened {
  readonly covered: readonly Message[];
  readonly head: readonly Message[];
  readonly rest: readonly Message[];
}

/** Puts a summary in the place of the messages that it stands for. Where these have been edited away it stands for none. */
export function shorten(messages: readonly Message[], summary: Summary | null): Shortened {
  if (!summary || messages[summary.messages - 1]?.id !== summary.last) return { covered: [], head: [], rest: messages };
  const covered = messages.slice(0, summary.messages);
  const instructions = covered.filter(({ role }) => role === 'system');
  return {
    covered,
    head: [...instructions, { id: SUMMARY_ID, role: 'user', content: `${HEADING}${summary.text}` }],
    rest: messages.slice(summary.messages),
  };
}

/**
 * A summary of the first messages as they were sent, an older summary among them.
 * @param sent how many there were of them, besides the head
 */
export function extendSummary({ covered, rest }: Shortened, sent: number, text: string): Summary {
  const messages = [...covered, ...rest.slice(0, Math.max(0, sent))];
  return { messages: messages.length, last: messages.at(-1)?.id ?? null, text };
}

/** Asks for a summary of what was said before. */
export const SUMMARIZE: NewMessage = {
  role: 'user',
  content:
    'Summarize the conversation above for yourself: facts, decisions, results of tools, open questions. ' +
    'Write the summary only.',
};

/** How long a summary may get of a conversation that has so much room. */
export function summaryTokens(maxTokens: number | null): number {
  return maxTokens === null ? MAX_TOKENS : Math.max(1, Math.min(MAX_TOKENS, Math.floor(maxTokens / 4)));
}
