import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { withDistinctIds } from './distinct-ids.ts';
import { matchAnswers } from './match-answers.ts';
import { groupMessages } from './message-groups.ts';
import { repairCalls } from './repair-calls.ts';

/**
 * Holds what the code of a processor gives back to what no processor may break: messages of the system are as they were,
 * the others in the order that they had, and a tool call goes when one of its answers has gone, and they with it.
 * @param before the conversation that the processor was given, as `repairCalls` makes it
 */
export function restoreConversation(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const withoutDuplicates = withoutCopies(before, after);
  const ordered = inOrder(before, withSystem(before, withoutDuplicates));
  return repairCalls(withoutOpenCalls(withoutBrokenGroups(before, ordered)));
}

/** What was there is there once; messages that are new may have one id. */
function withoutCopies(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const unseen = new Set(before.map(({ id }) => id));
  const known = new Set(unseen);
  return withDistinctIds(after.filter(({ id }) => !known.has(id) || unseen.delete(id)));
}

function withSystem(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const systemMessages = new Map(
    before.flatMap((message) => (message.role === 'system' ? [[message.id, message]] : [])),
  );
  const kept = after.map((message) => systemMessages.get(message.id) ?? message);
  const ids = new Set(after.map(({ id }) => id));
  return [...[...systemMessages.values()].filter(({ id }) => !ids.has(id)), ...kept];
}

/** What is new stands behind what the processor has put it behind. */
function inOrder(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const indexes = new Map(before.map(({ id }, index) => [id, index]));
  let index = -1;
  return after
    .map((message) => {
      index = indexes.get(message.id) ?? index;
      return { message, index };
    })
    .sort((one, other) => one.index - other.index)
    .map(({ message }) => message);
}

function withoutBrokenGroups(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const ids = new Set(after.map(({ id }) => id));
  const broken = groupMessages(before).filter((group) => group.some(({ id }) => !ids.has(id)));
  const gone = new Set(broken.flat().map(({ id }) => id));
  const isOfCall = (message: Message): boolean => message.role === 'tool' || toolCallsOf(message).length > 0;
  return after.filter((message) => !(gone.has(message.id) && isOfCall(message)));
}

/** Calls that the processor has made up, without an answer. */
function withoutOpenCalls(messages: readonly Message[]): readonly Message[] {
  const answers = matchAnswers(messages);
  return messages.filter((message) => !answers.get(message)?.includes(null));
}
