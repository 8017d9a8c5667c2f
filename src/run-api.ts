import type { ProcessOptions } from './process/process-options.ts';

/**
 * Runs an API in this process, as `holdfast api` does. Resolves when SIGTERM or SIGINT has ended it.
 * @throws when settings are missing, the port is taken, or a server refuses
 */
export async function runApi(options: ProcessOptions = {}): Promise<void> {
  const server = await import('./api/server.ts');
  await server.runApi(options);
}

export type { ProcessOptions };
