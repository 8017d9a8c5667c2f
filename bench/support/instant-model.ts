import type { OwnReply } from '../../src/activities/models/model.ts';

/** The number of model turns that request tools, and of tools in each turn; one more turn answers. */
export const ASKING_TURNS = 5;
export const CALLS_PER_TURN = 3;

/** The usage of each answer, in tokens. */
export const USAGE = { inputTokens: 101, outputTokens: 13 } as const;

interface ModelInput {
  readonly messages: readonly { readonly role: string }[];
}

/** A model without latency: it requests `ping` several times, and then answers. */
export function answerAtOnce({ messages }: ModelInput): OwnReply {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= ASKING_TURNS) return { text: `Done after ${turn} turns`, usage: USAGE };
  const toolCalls = Array.from({ length: CALLS_PER_TURN }, (_, at) => ({ name: 'ping', args: { turn, at } }));
  return { toolCalls, usage: USAGE };
}
