import { Connection } from '@temporalio/client';
import type { ConnectionLike } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { Kysely } from 'kysely';
import { messageOf } from '../../graph/values/index.ts';
import { temporalAddressOf, readTemporalTarget } from '../../process/temporal.ts';
import type { TemporalConnection } from '../../process/temporal.ts';
import { hasGrpcCode } from '../../process/grpc-errors.ts';
import { createPostgresDialect } from '../../store/database/postgres-dialect.ts';
import type { Tables } from '../../store/tables.ts';

const CONNECT_WITHIN_MS = 5_000;

/** No server answers at the address. */
export class NoAnswerError extends Error {}

/**
 * Opens a connection to the Temporal server of the environment for one operation.
 * @throws SetupError when settings contradict each other; NoAnswerError; the server's refusal
 */
export async function useTemporal<T>(
  environment: NodeJS.ProcessEnv,
  use: (temporal: TemporalConnection<Connection>) => Promise<T>,
): Promise<T> {
  const { options, namespace } = readTemporalTarget(environment);
  const connection = Connection.lazy({ connectTimeout: CONNECT_WITHIN_MS, ...options });
  try {
    await connection.ensureConnected().catch((error: unknown) => {
      if (error instanceof Error && 'code' in error) throw error;
      throw new NoAnswerError(`${temporalAddressOf(options)} does not answer: ${messageOf(error)}`, { cause: error });
    });
    return await connection.withDeadline(
      Date.now() + CONNECT_WITHIN_MS,
      async () => await use({ connection, namespace }),
    );
  } finally {
    await connection.close();
  }
}

/** A namespace of Temporal. */
export interface TemporalNamespace {
  /** The retention of the histories of closed workflows. */
  readonly retentionMs: number;
}

/** @returns `null` if the namespace does not exist. @throws when the server is unavailable or refuses */
export async function readNamespace({
  connection,
  namespace,
}: TemporalConnection<ConnectionLike>): Promise<TemporalNamespace | null> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return { retentionMs: optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0 };
  } catch (error) {
    if (hasGrpcCode(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

/** Creates a namespace. @throws when another process has created it, or the server refuses, as Temporal Cloud does */
export async function makeNamespace(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  { retentionMs }: TemporalNamespace,
): Promise<void> {
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(retentionMs),
  });
}

/** Opens a database with one connection for one operation. */
export async function useDatabase<T>(url: string, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = new Kysely<Tables>({ dialect: createPostgresDialect(url, { maxConnections: 1 }) });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}
