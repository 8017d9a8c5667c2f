import type { z } from 'zod';
import type { NewRunSchema } from '../api/schemas/run.ts';
import type { Run } from './answers.ts';
import { HoldfastError, withIdempotencyKey } from './holdfast-error.ts';
import type { CallOptions, Connection } from './send.ts';
import { preferWait, waitForRun } from './wait-for-run.ts';

export type NewRun = z.input<typeof NewRunSchema>;

export interface StartOptions extends CallOptions {
  /** The time in milliseconds to wait until the run needs a person or has ended. */
  readonly waitMs?: number | undefined;
}

/**
 * Starts a run.
 * @returns the run at that time, or after the wait
 * @throws HoldfastError that states whether the run may have been started, also when only the wait has failed
 */
export async function startRun<T extends Run>(
  connection: Connection,
  body: NewRun,
  { waitMs, signal, ...given }: StartOptions = {},
): Promise<T> {
  const { send, timing } = connection;
  const { idempotencyKey = crypto.randomUUID() } = given;
  const keyed = { signal, idempotencyKey, isKnownKey: given.idempotencyKey !== undefined };
  const deadline = timing.now() + (waitMs ?? 0);
  const headers = waitMs === undefined ? {} : preferWait(waitMs);
  const run = await send.json<T>({ method: 'POST', path: '/api/runs', headers, body }, keyed);
  const timeoutMs = deadline - timing.now();
  if (timeoutMs <= 0) return run;
  return await waitForRun<T>(connection, run.id, { timeoutMs, signal }).catch((error: unknown) => {
    throw error instanceof HoldfastError ? withIdempotencyKey(idempotencyKey, error, true) : error;
  });
}
