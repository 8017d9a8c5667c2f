import type { ConnectionLike } from '@temporalio/client';
import { messageOf } from '../graph/values/index.ts';
import type { Logger } from './logger.ts';
import { createSearchAttributesCheck } from './search-attributes.ts';
import type { SearchAttributes } from './search-attributes.ts';
import { pingTemporal } from './temporal.ts';
import type { TemporalConnection } from './temporal.ts';

/** Throws when Temporal does not answer, or NotReadyError when it can't take runs. */
export type TemporalCheck = () => Promise<void>;

const ANSWER_WITHIN_MS = 5_000;

/** Creates a check that Temporal answers, has the namespace, and in it the search attributes. */
export function createTemporalCheck(
  temporal: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): TemporalCheck {
  const checkAttributes = createSearchAttributesCheck(temporal, required);
  return async () => {
    await pingTemporal(temporal);
    await temporal.connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, checkAttributes);
  };
}

/** Logs what Temporal lacks for a process that starts. Its readiness probe answers the same until nothing is missing. */
export async function reportIfNotReady(check: TemporalCheck, logger: Logger): Promise<void> {
  await check().catch((error: unknown) => logger.error({ reason: messageOf(error) }, 'not ready'));
}
