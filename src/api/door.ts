import { createApp } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { notNow } from './http/errors.ts';
import { SHUTTING_DOWN, startingFor } from '../process/dependencies.ts';
import { listen } from '../process/listen.ts';
import type { App, Listening, ListenOptions } from '../process/listen.ts';
import { createProbes } from '../process/probes.ts';
import { startSweeper } from './sweeper/sweeper.ts';
import type { Sweeper } from './sweeper/sweeper.ts';

/** Where requests come in. Until the API is there, probes are answered, and all else with 503. */
export interface Door extends Listening {
  /** Has the API answer from now on, and what looks after accepted runs work. */
  open(deps: Omit<ApiDeps, 'shuttingDown'>): void;
}

/**
 * @param awaited what the process waits for
 * @throws when the port is taken
 */
export async function openDoor(place: ListenOptions, awaited: ReadonlySet<string> = new Set()): Promise<Door> {
  const leaving = new AbortController();
  const obstacle = async (): Promise<string> => (leaving.signal.aborted ? SHUTTING_DOWN : startingFor(awaited));
  let app: App = createProbes(obstacle, async () => notNow(await obstacle()));
  let sweeper: Sweeper | null = null;
  const listening = await listen({ fetch: (...request) => app.fetch(...request) }, place);
  return {
    ...listening,
    open(deps) {
      app = createApp({ ...deps, shuttingDown: leaving.signal });
      sweeper = startSweeper(deps);
    },
    async stop() {
      leaving.abort();
      await Promise.all([listening.stop(), sweeper?.stop()]);
    },
  };
}
