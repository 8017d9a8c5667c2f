import { CompositePayloadConverter, JsonPayloadConverter, UndefinedPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadConverter } from '@temporalio/common';

const standard = new CompositePayloadConverter(new UndefinedPayloadConverter(), new JsonPayloadConverter());

/** Replaces a payload that can't be read, as `unreadable` does; clients load no other module with this one. */
const noJson = standard.toPayload({ $unreadable: 'it is no JSON' });

/** JSON whose reading never throws: a signal that is not JSON would fail its workflow task again and again. */
export const payloadConverter: PayloadConverter = {
  toPayload: <T>(value: T): Payload => standard.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return standard.fromPayload<T>(payload);
    } catch {
      return standard.fromPayload<T>(noJson);
    }
  },
};
