import { ServiceError } from '@temporalio/client';
import { hasGrpcCode } from '../../process/grpc-errors.ts';
import { PLAYED_ANEW } from '../../workflows/contract.ts';
import { poll } from './poll.ts';

const ASK_EVERY_MS = 100;

/** Repeats a query while the workflow is busy. @throws the last error when it is busy for too long */
export async function onceReady<T>(withinMs: number, query: () => Promise<T>): Promise<T> {
  const ask = async () =>
    await query().then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if (!isBusy(error)) throw error;
        return { error };
      },
    );
  const last = await poll(ask, (asked) => 'answer' in asked, { everyMs: ASK_EVERY_MS, withinMs });
  if ('answer' in last) return last.answer;
  throw last.error;
}

/** The answers of a busy workflow: too many requests, between two tasks, or changed meanwhile. */
const BUSY = ['RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED'] as const;

function isBusy(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return BUSY.some((name) => hasGrpcCode(cause, name)) || isPlayedAnew(cause);
}

/** Each query that fails in its worker has this code. */
function isPlayedAnew(error: unknown): boolean {
  return hasGrpcCode(error, 'INVALID_ARGUMENT') && error.message.includes(PLAYED_ANEW);
}
