import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a result with a time limit.
 * @param what describes the progress for the error message
 * @throws after the time limit
 */
export async function inTime<T>(awaited: Promise<T>, withinMs: number, what: () => string): Promise<T> {
  const late = async (): Promise<never> => {
    await sleep(withinMs, null, { ref: false });
    throw new Error(`Within ${withinMs} ms there was not: ${what()}`);
  };
  return await Promise.race([awaited, late()]);
}
