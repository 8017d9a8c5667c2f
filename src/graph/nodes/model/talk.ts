import type { ModelReply } from '../../effect.ts';
import type { NewMessage } from '../../message.ts';

/** What a task has said with a model so far, besides the conversation that it began with. */
export interface Talk {
  /** The model's requests for tools, and the answers to them. */
  readonly said: readonly NewMessage[];
  /** Calls made so far, of models and tools: the number of the next one, which tells their keys apart. */
  readonly made: number;
  /** Stands in for the first messages, which do not fit any more. */
  readonly summary: Summary | null;
  readonly usage: ModelReply['usage'];
}

export interface Summary {
  /** How many messages it stands for. */
  readonly messages: number;
  /** The id of the last of these. */
  readonly last: string | null;
  readonly text: string;
}

export const NOTHING_SAID: Talk = { said: [], made: 0, summary: null, usage: { inputTokens: 0, outputTokens: 0 } };

/** Adds what a reply has cost. */
export function withUsage(talk: Talk, { inputTokens, outputTokens }: ModelReply['usage']): Talk {
  const { usage } = talk;
  return {
    ...talk,
    usage: { inputTokens: usage.inputTokens + inputTokens, outputTokens: usage.outputTokens + outputTokens },
  };
}
