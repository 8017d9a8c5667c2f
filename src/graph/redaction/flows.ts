/** The ways that values take between the places of a run, as a graph of their names. */
export class Flows {
  readonly #targets = new Map<string, Set<string>>();

  /** Adds that the content of each of the first places may come to the other one. */
  add(from: Iterable<string>, to: string): void {
    for (const place of from) {
      const targets = this.#targets.get(place) ?? new Set();
      this.#targets.set(place, targets.add(to));
    }
  }

  /** Returns all places that the content of some places may come to, these included. */
  reach(places: Iterable<string>): ReadonlySet<string> {
    const reached = new Set(places);
    for (const place of reached) for (const target of this.#targets.get(place) ?? []) reached.add(target);
    return reached;
  }
}
