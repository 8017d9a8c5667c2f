import { setTimeout as sleep } from 'node:timers/promises';
import type { GrowingLog } from './growing-log.ts';

/** Watchers of files miss what is written shortly after something else, so the log is looked at again and again. */
const EVERY_MS = 200;

/** Tells the lines of a log as they are added, until the signal. @throws if it can't be read any more */
export async function followLog(
  log: GrowingLog,
  say: (lines: readonly string[]) => void,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    say(await log.read());
    await sleep(EVERY_MS, undefined, { signal: until }).catch(() => undefined);
  }
}
