import { dirname, resolve } from 'node:path';
import { watch } from 'chokidar';
import type { GrowingLog } from './growing-log.ts';

interface Following {
  readonly log: GrowingLog;
  /** Is given lines as they are added, never two at a time. */
  readonly say: (lines: readonly string[]) => void;
  /** Ends it. */
  readonly until: AbortSignal;
}

/** Tells the lines of a log as they are added. Its folder is watched, since the file may be replaced. */
export async function followLog(file: string, { log, say, until }: Following): Promise<void> {
  const path = resolve(file);
  const folder = dirname(path);
  const watcher = watch(folder, { depth: 0, ignored: (other) => other !== folder && other !== path });
  let last: Promise<void> = Promise.resolve();
  try {
    await new Promise<void>((end, fail) => {
      const look = (): void => {
        last = last.then(async () => say(await log.read()));
        last.catch(fail);
      };
      watcher.on('all', look).on('ready', look).on('error', fail);
      until.addEventListener('abort', () => end());
      if (until.aborted) end();
    });
    await last;
  } finally {
    await watcher.close();
  }
}
