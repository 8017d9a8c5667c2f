import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';

/** Messages that are sent together or not at all: a single one, or one with tool calls and all its answers. */
export type MessageGroup = readonly [Message, ...Message[]];

/** Splits a conversation into groups, in order. @param messages output of `repairCalls` */
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

/** Groups that are always sent: system messages, the newest user message and the last message. */
export function requiredGroups(groups: readonly MessageGroup[]): ReadonlySet<MessageGroup> {
  const newestOfUser = groups.findLast(([{ role }]) => role === 'user');
  const required = [...groups.filter(isOfSystem), newestOfUser, groups.findLast((group) => !isOfSystem(group))];
  return new Set(required.flatMap((group) => (group ? [group] : [])));
}

export function isOfSystem([{ role }]: MessageGroup): boolean {
  return role === 'system';
}
