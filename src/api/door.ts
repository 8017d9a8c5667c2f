import { createApp } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { notNow } from './http/errors.ts';
import { SHUTTING_DOWN, startingUp } from '../process/readiness/readiness.ts';
import { listen } from '../process/listen.ts';
import type { App, Listening, ListenOptions } from '../process/listen.ts';
import { openAbort } from '../process/open-abort.ts';
import { createProbes } from '../process/readiness/probes.ts';
import { startSweeper } from './sweeper/sweeper.ts';
import type { Sweeper } from './sweeper/sweeper.ts';

/** The port of the API. Until the API is open, it answers probes, and all other requests with 503. */
export interface Door extends Listening {
  /** Opens the API and starts the sweeper. Opened anew, it goes on with other parts, and the old sweeper stops. */
  open(deps: Omit<ApiDeps, 'shuttingDown'>): void;
}

/**
 * @param unavailable the dependencies that the process waits for
 * @throws when the port is taken
 */
export async function openDoor(options: ListenOptions, unavailable: ReadonlySet<string> = new Set()): Promise<Door> {
  const shuttingDown = openAbort();
  const readiness = async () => (shuttingDown.signal.aborted ? SHUTTING_DOWN : startingUp(unavailable));
  let app: App = createProbes(readiness, async () => notNow(await readiness()));
  let sweeper: Sweeper | null = null;
  const listening = await listen({ fetch: (...request) => app.fetch(...request) }, options);
  return {
    ...listening,
    open(deps) {
      app = createApp({ ...deps, shuttingDown: shuttingDown.signal });
      void sweeper?.stop();
      sweeper = startSweeper(deps);
    },
    async stop() {
      shuttingDown.abort();
      await Promise.all([listening.stop(), sweeper?.stop()]);
    },
  };
}
