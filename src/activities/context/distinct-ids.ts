import type { Message } from '../../graph/definition/index.ts';
import { createDistinctTexts } from '../../graph/values/index.ts';

/** Gives a new id to each message whose id an earlier message has. */
export function withDistinctIds(messages: readonly Message[]): readonly Message[] {
  const give = createDistinctTexts((id, copy) => (copy === 1 ? id : `${id}#${copy}`));
  return messages.map((message) => {
    const id = give(message.id);
    return id === message.id ? message : { ...message, id };
  });
}
