import { groupMessages, requiredGroups } from './message-groups.ts';
import type { MessageGroup } from './message-groups.ts';
import type { MessageProcessor } from './message-processor.ts';

/**
 * Leaves out the oldest groups, so that what is kept has no gap but behind the newest message of the user. What has to be
 * sent is kept even where it does not fit.
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
