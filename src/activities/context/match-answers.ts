import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';

/** The answers to a message's tool calls, in the order of the calls; `null`: nobody has answered. */
export type Answers = readonly (Message | null)[];

/**
 * Finds the answer to each tool call. An answer belongs to the nearest call before it that has its id and no answer yet,
 * for providers may give an id twice; one that stands before its call counts where nothing else answers the call.
 * @returns the answers of each message that has calls; a tool message that is missing there belongs to no call
 */
export function matchAnswers(messages: readonly Message[]): ReadonlyMap<Message, Answers> {
  const open = new Map<string, Slot[]>();
  const slots = new Map<Message, readonly Slot[]>();
  const early: Message[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!fill(open, message)) early.push(message);
      continue;
    }
    const opened = toolCallsOf(message).map(({ id }): Slot => ({ id, answer: null }));
    if (opened.length > 0) slots.set(message, opened);
    for (const slot of opened.toReversed()) open.set(slot.id, [...(open.get(slot.id) ?? []), slot]);
  }
  for (const message of early) fill(open, message);
  return new Map([...slots].map(([message, filled]) => [message, filled.map(({ answer }) => answer)]));
}

/** A call that waits for its answer. */
interface Slot {
  readonly id: string;
  answer: Message | null;
}

/** Gives an answer to the call that was opened last, if one waits for it. */
function fill(open: ReadonlyMap<string, Slot[]>, answer: Message): boolean {
  const id = answer['toolCallId'];
  const slot = typeof id === 'string' ? open.get(id)?.pop() : undefined;
  if (!slot) return false;
  slot.answer = answer;
  return true;
}
