import type { Run } from './answers.ts';
import { toPath } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';

export interface WaitOptions extends CallOptions {
  /** Without a time-out by default. */
  readonly timeoutMs?: number | undefined;
  /** `rest`, the default: the run has ended, is paused, or waits for anything but a timer. `ended`: it has ended. */
  readonly until?: WaitEnd | undefined;
}

export type WaitEnd = 'rest' | 'ended';

/** The longest wait of one request to the API. */
const LONGEST_S = 60;
/** The API responds at once for a waiting run, so the client pauses between requests. */
const PAUSE_MS = 500;

/** Waits for a run. @returns the run as it is then, or at the time-out */
export async function waitForRun<T extends Run>(
  { send, timing }: Connection,
  id: string,
  { timeoutMs = Infinity, until = 'rest', signal }: WaitOptions = {},
): Promise<T> {
  const deadline = timing.now() + timeoutMs;
  const isDone = until === 'ended' ? isEnded : isResting;
  for (;;) {
    const headers = preferWait(deadline - timing.now());
    const run = await send.json<T>({ method: 'GET', path: toPath`/api/runs/${id}`, headers }, { signal });
    const leftMs = deadline - timing.now();
    if (isDone(run) || leftMs <= 0) return run;
    await timing.sleep(Math.min(PAUSE_MS, leftMs), signal);
  }
}

/** The header that makes the API wait before it responds. */
export function preferWait(ms: number): Readonly<Record<string, string>> {
  return { prefer: `wait=${Math.max(0, Math.min(LONGEST_S, Math.ceil(ms / 1_000)))}` };
}

export function isEnded({ status }: Run): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** True if the run does not continue by itself. */
export function isResting(run: Run): boolean {
  if (run.status !== 'waiting') return isEnded(run) || run.status === 'paused';
  return run.waitingFor.some(({ kind }) => kind !== 'timer');
}
