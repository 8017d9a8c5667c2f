import { CompositePayloadConverter, JsonPayloadConverter, UndefinedPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';

const standard = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/** Replaces a payload that can't be read; the schema of a signal rejects it. */
const unreadable = standard.toPayload({ $unreadable: true });

/** JSON whose reading never throws: a signal that is not JSON would fail its workflow task again and again. */
export const payloadConverter: PayloadConverter = {
  toPayload: <T>(value: T): Payload => standard.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return standard.fromPayload<T>(payload);
    } catch {
      return standard.fromPayload<T>(unreadable);
    }
  },
};
