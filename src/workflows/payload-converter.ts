import { CompositePayloadConverter, JsonPayloadConverter, UndefinedPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';
import { isCompressed } from './compressed.ts';

/** Marks a payload for the codec that compresses (`process/payloads/compression.ts`). */
const COMPRESS = { 'holdfast-compress': new Uint8Array([1]) };

const standard = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/** Replaces a payload that can't be read, as `unreadable` does; clients load no other module with this one. */
const noJson = standard.toPayload({ $unreadable: 'it is no JSON' });

/** JSON whose reading never throws: a signal that is not JSON would fail its workflow task again and again. */
export const payloadConverter: PayloadConverter = {
  toPayload<T>(value: T): Payload {
    const payload = standard.toPayload(value);
    return isCompressed(value) ? { ...payload, metadata: { ...payload.metadata, ...COMPRESS } } : payload;
  },
  fromPayload<T>(payload: Payload): T {
    try {
      return standard.fromPayload<T>(payload);
    } catch {
      return standard.fromPayload<T>(noJson);
    }
  },
};
