import { textOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { groupMessages } from './message-groups.ts';
import type { MessageProcessor } from './message-processor.ts';

/** In characters; shorter results are not worth replacing. */
const LARGE_RESULT = 200;

/**
 * Replaces large tool results by a marker, the oldest first, until the conversation fits. The last group is kept: the
 * model has not seen it yet.
 */
export const shortenToolResults: MessageProcessor = (messages, { maxTokens, count }) => {
  let tokens = count(messages);
  const groups = groupMessages(messages);
  return groups.flatMap((group, at) =>
    group.map((message) => {
      if (tokens <= maxTokens || at === groups.length - 1 || !isLargeResult(message)) return message;
      const short = shortened(message);
      tokens += count([short]) - count([message]);
      return short;
    }),
  );
};

function isLargeResult({ role, content }: Message): boolean {
  return role === 'tool' && textOf(content).length > LARGE_RESULT;
}

function shortened({ content, ...message }: Message): Message {
  return { ...message, content: `[A result of ${textOf(content).length} characters, left out here]` };
}
