import { groupMessages, requiredGroups } from './message-groups.ts';
import type { MessageGroup } from './message-groups.ts';
import type { MessageProcessor } from './message-processor.ts';

/**
 * Drops the oldest groups. The rest has no gap except after the newest user message. Required groups are kept even if
 * they exceed the limit.
 */
export const keepLast: MessageProcessor = (messages, { maxTokens, count }) => {
  const groups = groupMessages(messages);
  const kept = new Set<MessageGroup>(requiredGroups(groups));
  let remaining = maxTokens - count([...kept].flat());
  for (const group of groups.toReversed()) {
    if (kept.has(group)) continue;
    remaining -= count(group);
    if (remaining < 0) break;
    kept.add(group);
  }
  return groups.filter((group) => kept.has(group)).flat();
};
