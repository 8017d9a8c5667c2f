import type { ConnectionLike } from '@temporalio/client';
import { messageOf } from '../graph/values/index.ts';
import { settleAll } from './connect-with-retry.ts';
import { hasGrpcCode } from './grpc-errors.ts';
import type { Logger } from './logger.ts';
import { NotReadyError } from './readiness.ts';
import { pingTemporal } from './temporal.ts';
import type { TemporalConnection } from './temporal.ts';

/** Search attributes by their names, with their Temporal types. */
export type SearchAttributes = Readonly<Record<string, keyof typeof ATTRIBUTE_TYPES>>;

const ATTRIBUTE_TYPES = {
  KEYWORD: { number: 2, name: 'Keyword', example: "''" },
  INT: { number: 3, name: 'Int', example: '0' },
} as const;

/**
 * Creates a check that a namespace has the search attributes that runs require. Missing ones are created, if the
 * process has the permission.
 * @returns a check that throws NotReadyError with the command that creates them, or an error if Temporal is unavailable
 */
function createSearchAttributesCheck(
  temporal: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): () => Promise<void> {
  let areThere = false;
  return async () => {
    if (areThere) return;
    const missing = await findMissingAttributes(temporal, required);
    if (missing.length > 0) {
      // Another process may create them at the same time, and this one may not have the permission.
      await makeSearchAttributes(temporal, missing).catch(() => undefined);
      await requireSearchAttributes(temporal, required);
    }
    areThere = true;
  };
}

/** A search attribute: its name, and its Temporal type. */
export type SearchAttribute = readonly [name: string, type: SearchAttributes[string]];

/**
 * Finds the search attributes that a namespace lacks. The server refuses a query that names an unknown one, and a query
 * needs only the permission to read.
 */
export async function findMissingAttributes(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): Promise<readonly SearchAttribute[]> {
  const found = await settleAll(
    Object.entries(required).map(async ([name, type]): Promise<readonly SearchAttribute[]> => {
      const query = `${name} = ${ATTRIBUTE_TYPES[type].example}`;
      const count = connection.workflowService.countWorkflowExecutions({ namespace, query });
      return await count.then(
        () => [],
        (error: unknown) => {
          if (hasGrpcCode(error, 'INVALID_ARGUMENT')) return [[name, type]];
          throw error;
        },
      );
    }),
  );
  return found.flat();
}

/** Creates search attributes, if there are any. @throws when the server refuses, as Temporal Cloud does */
export async function makeSearchAttributes(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  missing: readonly SearchAttribute[],
): Promise<void> {
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, ATTRIBUTE_TYPES[type].number]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}

/** @throws NotReadyError with the command that creates the missing ones */
export async function requireSearchAttributes(
  temporal: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): Promise<void> {
  const missing = await findMissingAttributes(temporal, required);
  if (missing.length === 0) return;
  const { namespace } = temporal;
  const names = missing.map(([name]) => name).join(', ');
  const flags = missing.map(([name, type]) => `--name ${name} --type ${ATTRIBUTE_TYPES[type].name}`).join(' ');
  const command = `temporal operator search-attribute create --namespace ${namespace} ${flags}`;
  throw new NotReadyError(
    `Temporal's namespace ${namespace} lacks the search attributes ${names}; make them: ${command}`,
  );
}

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
