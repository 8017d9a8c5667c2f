import { CompositePayloadConverter, JsonPayloadConverter, UndefinedPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import { LONG_INTEGER, parseOutsideJson, unreadablePlaceholder } from '../graph/values/index.ts';

const markedValues = new WeakSet<object>();

/**
 * Marks a value whose payload is to be compressed (`process/payloads/compression.ts`), because it takes much space in a
 * history, and people who look at a run in Temporal do not need it.
 * @returns the value itself
 */
export function markCompressed<T extends object>(value: T): T {
  markedValues.add(value);
  return value;
}

/** True for a value that `markCompressed` has marked. */
export function isCompressed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && markedValues.has(value);
}

/** Marks a payload for the codec that compresses (`process/payloads/compression.ts`). */
const COMPRESS = { 'holdfast-compress': new Uint8Array([1]) };

/**
 * Parses JSON without rounding its integers: the ones that a double does not keep become texts of their digits, as in
 * what a person sends by the Temporal CLI. Values of this system have no such integers.
 */
class WholeJsonConverter extends JsonPayloadConverter {
  override fromPayload<T>(payload: Payload): T {
    const json = decode(payload.data ?? NO_BYTES);
    if (!LONG_INTEGER.test(json)) return super.fromPayload<T>(payload);
    const whole = withoutRounding(json);
    return super.fromPayload<T>(whole === null ? payload : { ...payload, data: encode(whole) });
  }
}

/** Returns JSON in which long integers are texts; `null` for a text that can't be copied, which is read as it is. */
function withoutRounding(json: string): string | null {
  try {
    return JSON.stringify(parseOutsideJson(json, () => true));
  } catch {
    return null;
  }
}

const NO_BYTES = new Uint8Array();

const standardConverter = new CompositePayloadConverter(new UndefinedPayloadConverter(), new WholeJsonConverter());

/** Replaces a payload that can't be read. */
const noJson = standardConverter.toPayload(unreadablePlaceholder('it is no JSON'));

/** A JSON converter that never throws on reading: a signal that is not JSON would fail each attempt of its workflow task. */
export const payloadConverter: PayloadConverter = {
  toPayload<T>(value: T): Payload {
    const payload = standardConverter.toPayload(value);
    return isCompressed(value) ? { ...payload, metadata: { ...payload.metadata, ...COMPRESS } } : payload;
  },
  fromPayload<T>(payload: Payload): T {
    try {
      return standardConverter.fromPayload<T>(payload);
    } catch {
      return standardConverter.fromPayload<T>(noJson);
    }
  },
};
