import { join } from 'node:path';
import { choosePort } from '../../../src/dev/ports.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { provideTemporal } from '../../../src/dev/open-temporal.ts';
import { startTemporalServer } from '../../../src/dev/temporal-server.ts';
import type { TemporalServer, TemporalServerOptions } from '../../../src/dev/temporal-server.ts';
import { endWhenOrphaned } from './end-when-orphaned.ts';
import { FIRST_PORT } from './ports.ts';
import { suspendProcessTree, resumeProcessTree } from './process-family.ts';
import type { Victim } from './victim.ts';

export interface KillableTemporal extends Victim {
  readonly address: string;
  /** Its SQLite database; `null` if it has none. */
  readonly databaseFile: string | null;
}

/** A Temporal server with its state in a folder, which can be killed, stopped and suspended. */
export async function startKillableTemporal(folder: string, teardown: Teardown): Promise<KillableTemporal> {
  const databaseFile = join(folder, 'temporal.db');
  const options: TemporalServerOptions = {
    executable: await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`)),
    port: await choosePort('Temporal', undefined, FIRST_PORT),
    uiPort: await choosePort('the Temporal Web UI', undefined, FIRST_PORT + 5),
    databaseFile,
  };
  const launch = async (): Promise<TemporalServer & { readonly unwatch: () => void }> => {
    const started = await startTemporalServer(options);
    return { ...started, unwatch: endWhenOrphaned(started.pid) };
  };
  let server = await launch();
  const stop = async (): Promise<void> => {
    await server.stop();
    server.unwatch();
  };
  teardown.add(stop);
  return {
    address: server.address,
    databaseFile,
    async kill() {
      await server.kill();
      server.unwatch();
    },
    stop,
    async start() {
      server = await launch();
    },
    suspend: async () => void (await suspendProcessTree(server.pid)),
    resume: () => resumeProcessTree(server.pid),
  };
}
