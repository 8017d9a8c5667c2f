import { CompositePayloadConverter, JsonPayloadConverter, UndefinedPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';

const standard = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/** Stands for a payload that could not be read; whoever looks at it finds it malformed. */
const unreadable = standard.toPayload({ $unreadable: true });

/**
 * JSON as everywhere, but reading never throws: a signal whose bytes are no JSON would fail the workflow task, and be
 * delivered again for ever.
 */
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
