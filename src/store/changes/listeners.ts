type Listener<T> = (thing: T) => void;

/** Listeners to things of one kind, by the ids of these. */
export interface Listeners<T> {
  /** @returns a function that removes the listener */
  add(id: string, listener: Listener<T>): () => void;
  tell(id: string, thing: T): void;
  /** Tells the listeners of all ids. */
  tellAll(thing: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const all = new Map<string, Set<Listener<T>>>();
  return {
    add(id, listener) {
      const ofId = all.get(id) ?? new Set();
      all.set(id, ofId.add(listener));
      return () => {
        ofId.delete(listener);
        if (ofId.size === 0 && all.get(id) === ofId) all.delete(id);
      };
    },
    tell(id, thing) {
      for (const listener of all.get(id) ?? []) listener(thing);
    },
    tellAll(thing) {
      for (const ofId of all.values()) for (const listener of ofId) listener(thing);
    },
  };
}
