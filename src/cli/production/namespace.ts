import type { ConnectionLike } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { hasGrpcCode } from '../../process/grpc-errors.ts';
import type { TemporalConnection } from '../../process/temporal.ts';

/** A namespace of Temporal. */
export interface Namespace {
  /** The time for which the histories of ended workflows stay. */
  readonly retentionMs: number;
}

/** @returns `null`: there is no such namespace. @throws when the server does not answer, or refuses to say */
export async function readNamespace({
  connection,
  namespace,
}: TemporalConnection<ConnectionLike>): Promise<Namespace | null> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return { retentionMs: optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0 };
  } catch (error) {
    if (hasGrpcCode(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

/** Makes a namespace. @throws when another process has made it, or the server refuses, as Temporal Cloud does */
export async function makeNamespace(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  { retentionMs }: Namespace,
): Promise<void> {
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(retentionMs),
  });
}
