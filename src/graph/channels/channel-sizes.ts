import { GraphError } from '../values/errors.ts';
import { MAX_VALUE_BYTES, remainingBytes, tooLarge } from '../values/json-size.ts';
import type { Json } from '../values/json.ts';
import { spend } from '../values/meter.ts';

/** Limit in bytes of all channels of a graph, and so of a checkpoint, which holds no more than these. */
const MAX_CHANNEL_BYTES = 64_000_000;

/**
 * Bytes by which values may grow, so that a list is not measured anew at each step. An entry may be too low, never too
 * high; a value is measured again before it is refused.
 */
const remainingBytesMemo = new WeakMap<object, number>();

/** Bytes by which a value may grow. */
export function remainingBytesOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return remainingBytes(MAX_VALUE_BYTES, value);
  return remainingBytesMemo.get(value) ?? remainingBytes(MAX_VALUE_BYTES, value);
}

/** @param estimate never too high @throws GraphError `PAYLOAD_TOO_LARGE` */
export function rememberRemainingBytes(value: Json, estimate: number): void {
  const remaining = estimate < 0 ? remainingBytes(MAX_VALUE_BYTES, value) : estimate;
  if (remaining < 0) throw tooLarge('its value');
  if (typeof value === 'object' && value !== null) remainingBytesMemo.set(value, remaining);
}

const BYTES_PER_UNIT = 64;

/** As `remainingBytesOf`, but exact, at a price by the size: what a process remembers may be too low. */
export function measureAnew(value: Json): number {
  const remaining = remainingBytes(MAX_VALUE_BYTES, value);
  spend(1 + Math.ceil((MAX_VALUE_BYTES - remaining) / BYTES_PER_UNIT));
  return remaining;
}

/** About how many bytes a value of a channel takes; never too low. */
export function sizeOfValue(value: Json): number {
  return MAX_VALUE_BYTES - remainingBytesOf(value);
}

type Values = Readonly<Record<string, Json>>;

/** The sizes of channels together. */
const totals = new WeakMap<Values, number>();

/** Counts the size of all channels while some of them change. */
export class ChannelSizes {
  #total: number;

  constructor(channels: Values) {
    this.#total =
      totals.get(channels) ?? Object.values(channels).reduce<number>((sum, one) => sum + sizeOfValue(one), 0);
  }

  /** @param before the size of the value that is replaced */
  replace(before: number, value: Json): void {
    this.#total += sizeOfValue(value) - before;
  }

  /**
   * Checks the total, and remembers it for the next change.
   * @throws GraphError `PAYLOAD_TOO_LARGE` if the channels, measured anew, take too much together
   */
  settle(channels: Values): void {
    if (this.#total > MAX_CHANNEL_BYTES) this.#total = measure(channels);
    if (this.#total > MAX_CHANNEL_BYTES)
      throw new GraphError('PAYLOAD_TOO_LARGE', `all channels together would take over ${MAX_CHANNEL_BYTES} bytes`);
    totals.set(channels, this.#total);
  }
}

/** Measures channels, and remembers the sizes: the total has to be the sum of what is remembered. */
function measure(channels: Values): number {
  return Object.values(channels).reduce<number>((sum, value) => {
    const remaining = remainingBytes(MAX_VALUE_BYTES, value);
    rememberRemainingBytes(value, remaining);
    return sum + MAX_VALUE_BYTES - remaining;
  }, 0);
}
