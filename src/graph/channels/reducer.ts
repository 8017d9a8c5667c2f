import { GraphError } from '../values/errors.ts';
import { isJsonList, nameOfType } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spendUnits } from '../values/meter.ts';

/** Folds the writes of a channel into its value. */
export interface Reducer {
  /** The value before any write of a channel without a default. */
  readonly initial: Json;
  /**
   * True if a write is an object and changes only the members that it names. The new value takes no more bytes than the
   * old value and the write together.
   */
  readonly changesOnlyMembers?: true;
  /**
   * Folds one write into the value. Lists that `context.owned` owns may be changed in place.
   * @throws GraphError when the write doesn't fit the channel
   */
  reduce(current: Json, update: Json, context: ReduceContext): Json;
  /** Makes the new value from the content of a `$replace`. If absent, any JSON is a valid value. @throws as `reduce` */
  readonly replacement?: (value: Json, context: ReduceContext) => Json;
}

export interface ReduceContext {
  /** The lists that may grow in place. */
  readonly owned: OwnedLists;
  /** A new id for a message without one, derived from the run. */
  nextMessageId(): string;
  /** The items that a write adds to the end of a list; `null` if it does anything else. Set by `appendItems`. */
  extension: readonly Json[] | null;
}

/** Creates a context without owned lists, for a write outside a superstep. */
export function createReduceContext(nextMessageId: () => string): ReduceContext {
  return { owned: new OwnedLists(), nextMessageId, extension: null };
}

/** Adds items to the end of a list: in place if the list is owned, else in an owned copy. */
export function appendItems(list: readonly Json[], items: readonly Json[], context: ReduceContext): readonly Json[] {
  context.extension = items;
  return context.owned.extend(list, items);
}

/**
 * Lists made during this `advance` that only their channel references. They grow in place, so that a run that appends
 * at each step takes linear time. A round of writes ends with `commit`, or with `rollBack`, which reverts it.
 */
export class OwnedLists {
  readonly #lists = new WeakSet<readonly Json[]>();
  /** The lengths before the current round of writes. */
  readonly #lengths = new Map<Json[], number>();

  add(list: readonly Json[]): void {
    this.#lists.add(list);
  }

  extend(list: readonly Json[], items: readonly Json[]): readonly Json[] {
    spendUnits(priceOfItems(items));
    if (!this.#owns(list)) {
      spendUnits(priceOfItems(list));
      const copy = [...list, ...items];
      this.add(copy);
      return copy;
    }
    if (!this.#lengths.has(list)) this.#lengths.set(list, list.length);
    for (const item of items) list.push(item);
    return list;
  }

  /** Stops a list from growing in place, because something else references it from now on. */
  release(list: readonly Json[]): void {
    this.#lists.delete(list);
  }

  /** Gives a value as it was before the current round of writes. */
  before(value: Json): Json {
    if (!isJsonList(value)) return value;
    const lengths: ReadonlyMap<readonly Json[], number> = this.#lengths;
    const length = lengths.get(value);
    return length === undefined ? value : value.slice(0, length);
  }

  commit(): void {
    this.#lengths.clear();
  }

  rollBack(): void {
    for (const [list, length] of this.#lengths) list.length = length;
    this.#lengths.clear();
  }

  #owns(list: readonly Json[]): list is Json[] {
    return this.#lists.has(list);
  }
}

const ITEMS_PER_UNIT = 8;

/** Returns the price of copying a list in units of the meter; its items are shared. */
function priceOfItems({ length }: readonly Json[]): number {
  return 1 + Math.ceil(length / ITEMS_PER_UNIT);
}

/** Returns the error of a write that the reducer of its channel can't fold. */
export function mismatchError(expected: string, actual: Json): GraphError {
  return new GraphError('CHANNEL_SCHEMA_VIOLATION', `its reducer takes ${expected}, not ${nameOfType(actual)}`);
}

/** A channel's value as a list; `null` is an empty one. @throws GraphError when it is anything else */
export function asList(value: Json): readonly Json[] {
  if (value === null) return [];
  if (!isJsonList(value)) throw mismatchError('a list', value);
  return value;
}
