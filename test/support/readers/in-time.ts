import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for what has to come soon.
 * @param what says what was awaited, as far as it has come
 * @throws when it has not come in time
 */
export async function inTime<T>(awaited: Promise<T>, withinMs: number, what: () => string): Promise<T> {
  const late = async (): Promise<never> => {
    await sleep(withinMs, null, { ref: false });
    throw new Error(`Within ${withinMs} ms there was not: ${what()}`);
  };
  return await Promise.race([awaited, late()]);
}
