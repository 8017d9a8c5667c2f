import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { groupMessages } from './summarize.ts';
import { createDistinctTexts, addToList } from '../../graph/values/index.ts';

/**
 * Restores the rules that no processor may break: system messages are unchanged, the order stays, and a tool call and
 * its answers are sent together or not at all.
 * @param before the processor's input, an output of `repairCalls`
 */
export function restoreConversation(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const withoutDuplicates = removeCopies(before, after);
  const ordered = sortAsBefore(before, keepSystemMessages(before, withoutDuplicates));
  return repairCalls(withoutOpenCalls(withoutBrokenGroups(before, ordered)));
}

/** Keeps each earlier message once and gives new messages distinct ids. */
function removeCopies(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const unseen = new Set(before.map(({ id }) => id));
  const known = new Set(unseen);
  return withDistinctIds(after.filter(({ id }) => !known.has(id) || unseen.delete(id)));
}

function keepSystemMessages(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const systemMessages = new Map(
    before.flatMap((message) => (message.role === 'system' ? [[message.id, message]] : [])),
  );
  const kept = after.map((message) => systemMessages.get(message.id) ?? message);
  const ids = new Set(after.map(({ id }) => id));
  return [...[...systemMessages.values()].filter(({ id }) => !ids.has(id)), ...kept];
}

/** Sorts earlier messages as before; a new message stays after its predecessor. */
function sortAsBefore(before: readonly Message[], after: readonly Message[]): readonly Message[] {
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

/** Gives a new id to each message whose id an earlier message has. */
export function withDistinctIds(messages: readonly Message[]): readonly Message[] {
  const give = createDistinctTexts((id, copy) => (copy === 1 ? id : `${id}#${copy}`));
  return messages.map((message) => {
    const id = give(message.id);
    return id === message.id ? message : { ...message, id };
  });
}

/** Answers to a message's tool calls, in the order of the calls; `null` for a call without an answer. */
export type ToolAnswers = readonly (Message | null)[];

/**
 * Matches each tool call with its answer. An answer belongs to the nearest earlier call with its id, as providers may
 * repeat ids; an answer that precedes its call counts if the call has no other.
 * @returns the answers by message with calls; a tool message that is missing there belongs to no call
 */
export function matchAnswers(messages: readonly Message[]): ReadonlyMap<Message, ToolAnswers> {
  const open = new Map<string, AnswerSlot[]>();
  const slots = new Map<Message, readonly AnswerSlot[]>();
  const early: Message[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!assignAnswer(open, message)) early.push(message);
      continue;
    }
    const opened = toolCallsOf(message).map(({ id }): AnswerSlot => ({ id, answer: null }));
    if (opened.length > 0) slots.set(message, opened);
    for (const slot of opened.toReversed()) addToList(open, slot.id, slot);
  }
  for (const message of early) assignAnswer(open, message);
  return new Map([...slots].map(([message, filled]) => [message, filled.map(({ answer }) => answer)]));
}

/** A call and its answer. */
interface AnswerSlot {
  readonly id: string;
  answer: Message | null;
}

/** Assigns an answer to the latest open call with its id. @returns false if there is none */
function assignAnswer(open: ReadonlyMap<string, AnswerSlot[]>, answer: Message): boolean {
  const id = answer['toolCallId'];
  const slot = typeof id === 'string' ? open.get(id)?.pop() : undefined;
  if (!slot) return false;
  slot.answer = answer;
  return true;
}

const NOT_ANSWERED_TEXT = 'There is no result: the call was canceled or never answered.';

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
    return [message, ...matched.map((answer, at) => answer ?? missingAnswer(message, at))];
  });
}

function missingAnswer(message: Message, at: number): Message {
  const { id = '' } = toolCallsOf(message)[at] ?? {};
  return { id: `${message.id}:unanswered:${at}`, role: 'tool', toolCallId: id, content: NOT_ANSWERED_TEXT };
}
