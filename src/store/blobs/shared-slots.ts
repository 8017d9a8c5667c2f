/** Runs the work of an owner when a slot is free for it. */
export type SharedSlots = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

interface WaitingCaller {
  readonly owner: string;
  readonly begin: () => void;
}

/**
 * Shares slots between owners. An owner gets another slot only while it holds fewer slots than are free, so that there
 * is a slot for the next owner.
 */
export function createSharedSlots(count: number): SharedSlots {
  const held = new Map<string, number>();
  const waiting: WaitingCaller[] = [];
  let free = count;
  const mayTake = ({ owner }: WaitingCaller): boolean => (held.get(owner) ?? 0) < free;
  const beginNext = (): void => {
    for (let at = waiting.findIndex(mayTake); at >= 0; at = waiting.findIndex(mayTake)) {
      for (const { owner, begin } of waiting.splice(at, 1)) {
        free -= 1;
        held.set(owner, (held.get(owner) ?? 0) + 1);
        begin();
      }
    }
  };
  const release = (owner: string): void => {
    free += 1;
    const others = (held.get(owner) ?? 1) - 1;
    if (others === 0) held.delete(owner);
    else held.set(owner, others);
    beginNext();
  };
  return async (owner, work) => {
    await new Promise<void>((resolve) => {
      waiting.push({ owner, begin: resolve });
      beginNext();
    });
    try {
      return await work();
    } finally {
      release(owner);
    }
  };
}
