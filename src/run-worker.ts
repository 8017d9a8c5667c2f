import type { ProcessOptions } from './process/process-options.ts';

/**
 * Runs a worker in this process, as `holdfast worker` does. Resolves when SIGTERM or SIGINT has ended it.
 * @throws when settings are missing, or a server refuses
 */
export async function runWorker(options: ProcessOptions = {}): Promise<void> {
  const worker = await import('./worker.ts');
  await worker.runWorker(options);
}

export type { ProcessOptions };
