import type { ConnectionLike } from '@temporalio/client';
import { messageOf } from '../graph/values/index.ts';
import type { Logger } from './logger.ts';
import { createSearchAttributesCheck } from './search-attributes.ts';
import type { SearchAttributes } from './search-attributes.ts';
import { pingTemporal } from './temporal.ts';
import type { TemporalConnection } from './temporal.ts';

/** Throws when Temporal is unavailable, or NotReadyError when it can't accept runs. */
export type TemporalCheck = () => Promise<void>;

const PING_WITHIN_MS = 5_000;

/** Creates a check that Temporal responds, and has the namespace with the search attributes. */
export function createTemporalCheck(
  temporal: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): TemporalCheck {
  const checkAttributes = createSearchAttributesCheck(temporal, required);
  return async () => {
    await pingTemporal(temporal);
    await temporal.connection.withDeadline(Date.now() + PING_WITHIN_MS, checkAttributes);
  };
}

/** Logs what Temporal lacks for a starting process. Its readiness probe reports the same until nothing is missing. */
export async function reportIfNotReady(check: TemporalCheck, logger: Logger): Promise<void> {
  await check().catch((error: unknown) => logger.error({ reason: messageOf(error) }, 'not ready'));
}
