import type { z } from 'zod';
import type { NewRunSchema } from '../api/schemas/run.ts';
import type { Run } from './answers.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './send.ts';
import { preferWait, waitForRun } from './wait-for-run.ts';

export type NewRun = z.input<typeof NewRunSchema>;

export interface StartOptions extends CallOptions {
  /** Waits so long, in milliseconds, until the run needs somebody or has ended. */
  readonly waitMs?: number | undefined;
}

/** Starts a run. @returns the run as it is then, or after the wait */
export async function startRun<T extends Run>(
  connection: Connection,
  body: NewRun,
  { waitMs, ...options }: StartOptions = {},
): Promise<T> {
  const { send, timing } = connection;
  const deadline = timing.now() + (waitMs ?? 0);
  const headers = waitMs === undefined ? {} : preferWait(waitMs);
  const run = await send.json<T>({ method: 'POST', path: '/api/runs', headers, body }, options);
  const timeoutMs = deadline - timing.now();
  if (timeoutMs <= 0) return run;
  return await waitForRun<T>(connection, run.id, { timeoutMs, signal: options.signal });
}
