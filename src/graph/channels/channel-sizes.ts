import { GraphError } from '../values/errors.ts';
import { remainingBytes, MAX_VALUE_BYTES, tooLargeError } from '../values/json-size.ts';
import { isContainer } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spendUnits } from '../values/meter.ts';

/** The values of channels, by name. */
export type ValuesByChannel = Readonly<Record<string, Json>>;

/** Limit in bytes of all channels of a graph together, and so of a checkpoint. */
const MAX_CHANNEL_BYTES = 64_000_000;

/**
 * Bytes by which a value may still grow, so that a list is not measured again at each step. An entry may be too low but
 * never too high; a value is measured exactly before it is refused.
 */
const remainingBytesMemo = new WeakMap<object, number>();

/** Returns the bytes by which a value may still grow, perhaps too few. */
export function remainingBytesOf(value: Json): number {
  return (isContainer(value) ? remainingBytesMemo.get(value) : undefined) ?? remainingBytes(MAX_VALUE_BYTES, value);
}

/** @param estimate in bytes, never too high @throws GraphError `PAYLOAD_TOO_LARGE` */
export function rememberRemainingBytes(value: Json, estimate: number): void {
  const remaining = estimate < 0 ? remainingBytes(MAX_VALUE_BYTES, value) : estimate;
  if (remaining < 0) throw tooLargeError('its value');
  if (isContainer(value)) remainingBytesMemo.set(value, remaining);
}

const BYTES_PER_UNIT = 64;

/**
 * Returns exactly the bytes by which a value may still grow. It measures the value, since the memo of a process may be
 * too low.
 */
export function measureAnew(value: Json): number {
  const remaining = remainingBytes(MAX_VALUE_BYTES, value);
  spendUnits(1 + Math.ceil((MAX_VALUE_BYTES - remaining) / BYTES_PER_UNIT));
  return remaining;
}

/** Estimates the bytes of a channel's value; never too low. */
export function sizeOfValue(value: Json): number {
  return MAX_VALUE_BYTES - remainingBytesOf(value);
}

/** The total size of the channels, by their values. */
const channelTotals = new WeakMap<ValuesByChannel, number>();

/** Tracks the total size of all channels while some of them change. */
export class ChannelSizes {
  #total: number;

  constructor(channels: ValuesByChannel) {
    this.#total =
      channelTotals.get(channels) ?? Object.values(channels).reduce<number>((sum, one) => sum + sizeOfValue(one), 0);
  }

  /** @param before the size of the value that is replaced */
  replace(before: number, value: Json): void {
    this.#total += sizeOfValue(value) - before;
  }

  /**
   * Checks the total and remembers it for the next change.
   * @throws GraphError `PAYLOAD_TOO_LARGE` if the channels together are too large by an exact measurement
   */
  settle(channels: ValuesByChannel): void {
    if (this.#total > MAX_CHANNEL_BYTES) this.#total = measureChannels(channels);
    if (this.#total > MAX_CHANNEL_BYTES)
      throw new GraphError('PAYLOAD_TOO_LARGE', `all channels together would take over ${MAX_CHANNEL_BYTES} bytes`);
    channelTotals.set(channels, this.#total);
  }
}

/** Replaces the values of some channels. The total size is adjusted, so that the other values aren't measured again. */
export function replaceValues(channels: ValuesByChannel, values: ValuesByChannel): ValuesByChannel {
  const replaced = { ...channels, ...values };
  const before = channelTotals.get(channels);
  if (before !== undefined) {
    const growths = Object.entries(values).map(
      ([name, value]) => sizeOfValue(value) - sizeOfValue(channels[name] ?? null),
    );
    channelTotals.set(
      replaced,
      growths.reduce((sum, growth) => sum + growth, before),
    );
  }
  return replaced;
}

/** Measures channels exactly and remembers their sizes, because the total must be the sum of the remembered sizes. */
function measureChannels(channels: ValuesByChannel): number {
  return Object.values(channels).reduce<number>((sum, value) => {
    const remaining = remainingBytes(MAX_VALUE_BYTES, value);
    rememberRemainingBytes(value, remaining);
    return sum + MAX_VALUE_BYTES - remaining;
  }, 0);
}
