import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { matchAnswers } from './match-answers.ts';

const NOT_ANSWERED = 'There is no result: the call was canceled or never answered.';

/**
 * Puts exactly one answer after each tool call, in the order of the calls: providers refuse anything else. Missing
 * answers are filled in, and answers without a call are dropped.
 * @param messages messages with distinct ids
 */
export function repairCalls(messages: readonly Message[]): readonly Message[] {
  const answers = matchAnswers(messages);
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [];
    const matched = answers.get(message) ?? [];
    return [message, ...matched.map((answer, at) => answer ?? notAnswered(message, at))];
  });
}

function notAnswered(message: Message, at: number): Message {
  const { id = '' } = toolCallsOf(message)[at] ?? {};
  return { id: `${message.id}:unanswered:${at}`, role: 'tool', toolCallId: id, content: NOT_ANSWERED };
}
