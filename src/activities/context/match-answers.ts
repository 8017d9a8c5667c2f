import { toolCallsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { addToList } from '../../graph/values/index.ts';

/** Answers to a message's tool calls, in the order of the calls; `null` for a call without an answer. */
export type Answers = readonly (Message | null)[];

/**
 * Matches each tool call with its answer. An answer belongs to the nearest earlier call with its id, as providers may
 * repeat ids; an answer that precedes its call counts if the call has no other.
 * @returns the answers by message with calls; a tool message that is missing there belongs to no call
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
    for (const slot of opened.toReversed()) addToList(open, slot.id, slot);
  }
  for (const message of early) fill(open, message);
  return new Map([...slots].map(([message, filled]) => [message, filled.map(({ answer }) => answer)]));
}

/** A call and its answer. */
interface Slot {
  readonly id: string;
  answer: Message | null;
}

/** Assigns an answer to the latest open call with its id. @returns false if there is none */
function fill(open: ReadonlyMap<string, Slot[]>, answer: Message): boolean {
  const id = answer['toolCallId'];
  const slot = typeof id === 'string' ? open.get(id)?.pop() : undefined;
  if (!slot) return false;
  slot.answer = answer;
  return true;
}
