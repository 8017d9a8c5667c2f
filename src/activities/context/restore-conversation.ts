import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { withDistinctIds } from './distinct-ids.ts';
import { matchAnswers } from './match-answers.ts';
import { groupMessages } from './message-groups.ts';
import { repairCalls } from './repair-calls.ts';

/**
 * Restores the rules that no processor may break: system messages are unchanged, the order stays, and a tool call and
 * its answers are sent together or not at all.
 * @param before the processor's input, an output of `repairCalls`
 */
export function restoreConversation(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const withoutDuplicates = withoutCopies(before, after);
  const ordered = inOrder(before, withSystem(before, withoutDuplicates));
  return repairCalls(withoutOpenCalls(withoutBrokenGroups(before, ordered)));
}

/** Keeps each earlier message once and gives new messages distinct ids. */
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

/** Sorts earlier messages as before; a new message stays after its predecessor. */
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

/** Drops calls without an answer, which the processor has added. */
function withoutOpenCalls(messages: readonly Message[]): readonly Message[] {
  const answers = matchAnswers(messages);
  return messages.filter((message) => !answers.get(message)?.includes(null));
}
