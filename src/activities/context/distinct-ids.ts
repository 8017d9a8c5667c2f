import type { Message } from '../../graph/definition/index.ts';

/** Gives a new id to each message whose id an earlier message has. */
export function withDistinctIds(messages: readonly Message[]): readonly Message[] {
  const ids = new Set<string>();
  return messages.map((message) => {
    const id = freeId(message.id, ids);
    ids.add(id);
    return id === message.id ? message : { ...message, id };
  });
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  let free = id;
  for (let copy = 2; taken.has(free); copy++) free = `${id}#${copy}`;
  return free;
}
