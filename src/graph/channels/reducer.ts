import { GraphError } from '../values/errors.ts';
import { isJsonList } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/** How the writes of a channel become its value. */
export interface Reducer {
  /** The value before any write, where the channel has no default. */
  readonly initial: Json;
  /** True when the new value takes no more bytes than the old one and the write together. */
  readonly isAdding?: true;
  /**
   * Folds one write into the value. Lists that `context.owned` holds may be changed in place: nothing else refers to them.
   * @throws GraphError when the write doesn't fit the channel
   */
  reduce(current: Json, update: Json, context: ReduceContext): Json;
  /** Makes what a `$replace` holds the channel's value; without it, any JSON is. @throws as `reduce` */
  readonly replacement?: (value: Json, context: ReduceContext) => Json;
}

export interface ReduceContext {
  /** Lists that were made during this `advance` and are held by their channel alone, with the length they had before the current writes. */
  readonly owned: OwnedLists;
  /** A fresh id for a message that has none, derived from the run. */
  nextMessageId(): string;
  /** Set by `extend`: what was added, when adding to the end is all that the write did. */
  extension: readonly Json[] | null;
}

/** A list with items at its end: the same list where it is owned, else an owned copy. */
export function extend(list: readonly Json[], items: readonly Json[], context: ReduceContext): readonly Json[] {
  context.extension = items;
  return context.owned.extend(list, items);
}

/**
 * Lists that may grow in place, so that a run that appends at each step stays linear.
 * `keep` ends a round of writes, `undo` takes back what the round added.
 */
export class OwnedLists {
  readonly #lists = new WeakSet<readonly Json[]>();
  readonly #lengths = new Map<Json[], number>();

  add(list: readonly Json[]): void {
    this.#lists.add(list);
  }

  extend(list: readonly Json[], items: readonly Json[]): readonly Json[] {
    if (!this.#owns(list)) {
      const copy = [...list, ...items];
      this.add(copy);
      return copy;
    }
    if (!this.#lengths.has(list)) this.#lengths.set(list, list.length);
    for (const item of items) list.push(item);
    return list;
  }

  /** Somebody else refers to the list from now on: it must not grow in place again. */
  release(list: readonly Json[]): void {
    this.#lists.delete(list);
  }

  keep(): void {
    this.#lengths.clear();
  }

  undo(): void {
    for (const [list, length] of this.#lengths) list.length = length;
    this.#lengths.clear();
  }

  #owns(list: readonly Json[]): list is Json[] {
    return this.#lists.has(list);
  }
}

/** The error of a write that the channel's reducer can't fold. */
export function mismatch(expected: string, got: Json): GraphError {
  return new GraphError('CHANNEL_SCHEMA_VIOLATION', `its reducer takes ${expected}, not ${describe(got)}`);
}

export function asList(value: Json): readonly Json[] {
  if (value === null) return [];
  if (!isJsonList(value)) throw mismatch('a list', value);
  return value;
}

function describe(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
