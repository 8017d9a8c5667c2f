import { CompositePayloadConverter, JsonPayloadConverter, UndefinedPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';
import { isCompressed } from './compressed.ts';

/** Marks a payload for the codec that compresses (`process/payloads/compression.ts`). */
const COMPRESS = { 'holdfast-compress': new Uint8Array([1]) };

const standard = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/** Replaces an unreadable payload, like `unreadable`, which is repeated here so that clients load only this module. */
const noJson = standard.toPayload({ $unreadable: 'it is no JSON' });

/** A JSON converter that never throws on reading: a signal that is not JSON would fail each attempt of its workflow task. */
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
