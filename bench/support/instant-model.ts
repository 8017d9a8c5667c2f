import type { OwnReply } from '../../src/activities/models/model.ts';

/** So many turns of the model ask for tools, and so many tools each; one more turn answers. */
export const ASKING_TURNS = 5;
export const CALLS_PER_TURN = 3;

/** What each of its answers costs, in tokens. */
export const USAGE = { inputTokens: 101, outputTokens: 13 } as const;

interface Asked {
  readonly messages: readonly { readonly role: string }[];
}

/** A model that takes no time: it asks for `ping` some times, and then says what it has seen. */
export function answerAtOnce({ messages }: Asked): OwnReply {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= ASKING_TURNS) return { text: `Done after ${turn} turns`, usage: USAGE };
  const toolCalls = Array.from({ length: CALLS_PER_TURN }, (_, at) => ({ name: 'ping', args: { turn, at } }));
  return { toolCalls, usage: USAGE };
}
