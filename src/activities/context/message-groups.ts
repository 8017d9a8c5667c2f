import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';

/** Messages that are sent together or not at all: one, or one that has tool calls with all its answers. */
export type MessageGroup = readonly [Message, ...Message[]];

/** Takes a conversation apart into its groups, in order. @param messages as `repairCalls` gives them */
export function groupMessages(messages: readonly Message[]): readonly MessageGroup[] {
  const groups: MessageGroup[] = [];
  let at = 0;
  for (let first = messages[at]; first; first = messages[at]) {
    const group: MessageGroup = [first, ...messages.slice(at + 1, at + 1 + toolCallsOf(first).length)];
    groups.push(group);
    at += group.length;
  }
  return groups;
}

/** The groups that are sent whatever else is: those of the system, the newest of a user, the last one. */
export function requiredGroups(groups: readonly MessageGroup[]): ReadonlySet<MessageGroup> {
  const newestOfUser = groups.findLast(([{ role }]) => role === 'user');
  const required = [...groups.filter(isOfSystem), newestOfUser, groups.findLast((group) => !isOfSystem(group))];
  return new Set(required.flatMap((group) => (group ? [group] : [])));
}

export function isOfSystem([{ role }]: MessageGroup): boolean {
  return role === 'system';
}
