import { setTimeout as sleep } from 'node:timers/promises';
import { hasGrpcCode } from '../../process/grpc-errors.ts';
import type { SetupStep } from './setup-steps.ts';

interface StepOptions {
  /** True for a dry run, which creates nothing. */
  readonly isDry: boolean;
  /**
   * The time until which the step waits for an unavailable server, or for a change to become visible on all of its
   * nodes.
   */
  readonly untilMs: number;
}

interface StepResult {
  readonly isThere: boolean;
  /** The formatted result. */
  readonly line: string;
}

/**
 * Checks, creates what is missing, and checks again.
 * @throws the error of a server that is unavailable for too long, or that refuses
 */
export async function takeSetupStep(
  { name, check, create, isAway }: SetupStep,
  { isDry, untilMs }: StepOptions,
): Promise<StepResult> {
  const retried = async <T>(work: () => Promise<T>): Promise<T> => await retryUntil(untilMs, work, isAway);
  const before = await retried(check);
  if (before.isThere) return { isThere: true, line: `there    ${name}: ${before.what}` };
  if (isDry) return { isThere: false, line: `missing  ${name}: ${before.what}` };
  await retried(async () => await create().catch(ignoreIfCreatedByOther));
  const settledMs = Math.max(untilMs, Date.now() + SETTLES_WITHIN_MS);
  const after = async (): Promise<void> => {
    const { isThere, what } = await check();
    if (!isThere) throw new NotYetError(`${what} could not be made`);
  };
  await retryUntil(
    settledMs,
    after,
    (error) => error instanceof NotYetError || hasGrpcCode(error, 'NOT_FOUND') || isAway(error),
  );
  return { isThere: true, line: `made     ${name}: ${before.what}` };
}

/** A change takes some seconds to become visible on all nodes of a server. */
const SETTLES_WITHIN_MS = 30_000;
const STEP_RETRY_PAUSE_MS = 500;

class NotYetError extends Error {}

async function retryUntil<T>(
  untilMs: number,
  work: () => Promise<T>,
  mayPass: (error: unknown) => boolean,
): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() > untilMs) throw error;
      await sleep(STEP_RETRY_PAUSE_MS);
    }
}

function ignoreIfCreatedByOther(error: unknown): void {
  if (!hasGrpcCode(error, 'ALREADY_EXISTS')) throw error;
}
