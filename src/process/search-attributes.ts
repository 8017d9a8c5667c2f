import type { ConnectionLike } from '@temporalio/client';
import { NotReadyError } from './readiness.ts';
import { hasGrpcCode } from './grpc-errors.ts';
import { settleAll } from './connect-with-retry.ts';
import type { TemporalConnection } from './temporal.ts';

/** Search attributes by their names, with their Temporal types. */
export type SearchAttributes = Readonly<Record<string, keyof typeof TYPES>>;

const TYPES = {
  KEYWORD: { number: 2, name: 'Keyword', example: "''" },
  INT: { number: 3, name: 'Int', example: '0' },
} as const;

/**
 * Returns a check that a namespace has the search attributes without which it takes no run. Those that it lacks are made,
 * if the process may do so.
 * @returns a check that throws NotReadyError with the command that makes them, or an error if Temporal does not answer
 */
export function createSearchAttributesCheck(
  temporal: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): () => Promise<void> {
  let areThere = false;
  return async () => {
    if (areThere) return;
    const missing = await findMissingAttributes(temporal, required);
    if (missing.length > 0) {
      // Another process may make them at the same time, and this one may not have the right.
      await makeSearchAttributes(temporal, missing).catch(() => undefined);
      await requireSearchAttributes(temporal, required);
    }
    areThere = true;
  };
}

/** A search attribute: its name, and its Temporal type. */
export type Attribute = readonly [name: string, type: SearchAttributes[string]];

/**
 * Finds which search attributes a namespace lacks. A query is refused if it names one that is not there, and asking so takes
 * no more than the right to read.
 */
export async function findMissingAttributes(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): Promise<readonly Attribute[]> {
  const found = await settleAll(
    Object.entries(required).map(async ([name, type]): Promise<readonly Attribute[]> => {
      const query = `${name} = ${TYPES[type].example}`;
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

/** Makes search attributes, if there are any to make. @throws when the server refuses, as Temporal Cloud does */
export async function makeSearchAttributes(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  missing: readonly Attribute[],
): Promise<void> {
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, TYPES[type].number]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}

/** @throws NotReadyError with the command that makes those that the namespace lacks */
export async function requireSearchAttributes(
  temporal: TemporalConnection<ConnectionLike>,
  required: SearchAttributes,
): Promise<void> {
  const missing = await findMissingAttributes(temporal, required);
  if (missing.length === 0) return;
  const { namespace } = temporal;
  const names = missing.map(([name]) => name).join(', ');
  const flags = missing.map(([name, type]) => `--name ${name} --type ${TYPES[type].name}`).join(' ');
  const command = `temporal operator search-attribute create --namespace ${namespace} ${flags}`;
  throw new NotReadyError(
    `Temporal's namespace ${namespace} lacks the search attributes ${names}; make them: ${command}`,
  );
}
