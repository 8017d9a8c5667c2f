import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../src/dev/ports.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import { provideTemporal } from '../../src/dev/open-temporal.ts';
import { startTemporalServer } from '../../src/dev/temporal-server.ts';
import type { TemporalServer, TemporalServerOptions } from '../../src/dev/temporal-server.ts';
import type { Host } from './peer.ts';
import { programPeer } from './program-peer.ts';
import { startProgram } from './start-program.ts';

type Settings = Pick<TemporalServerOptions, 'databaseFile' | 'dynamicConfig'>;

/** Starts a dev server; by default without a database file and with the settings of `npm start`. */
export async function openTemporal(teardown: Teardown, settings: Settings = {}): Promise<TemporalServer> {
  const server = await startTemporalServer({
    executable: await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`)),
    port: await choosePort('Temporal', 0, 0),
    uiPort: await choosePort('the Temporal Web UI', 0, 0),
    ...settings,
  });
  teardown.add(() => server.stop());
  return server;
}

function temporalHost(name: string, settingsIn: (folder: string) => Settings): Host {
  return {
    peers: [name],
    async open({ tool, teardown }) {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-peer-'));
      teardown.add(() => rm(folder, { recursive: true, force: true }));
      const server = await openTemporal(teardown, settingsIn(folder));
      const environment = { ECHO_URL: tool.url, TEMPORAL_ADDRESS: server.address };
      const { pid, firstLine } = await startProgram(['bench/peers/programs/temporal.ts'], { environment, teardown });
      return [programPeer(name, { url: firstLine, processes: [pid, server.pid] })];
    },
  };
}

/** A workflow written by hand, on the dev server in memory with the settings of `npm start`. */
export const temporal = temporalHost('temporal', () => ({}));

/** The same with a database file, like `npm start`. */
export const temporalOnFile = temporalHost('temporal-file', (folder) => ({
  databaseFile: join(folder, 'temporal.db'),
}));

/** The same on the dev server with its default settings, in memory. */
export const temporalAsShipped = temporalHost('temporal-as-shipped', () => ({ dynamicConfig: [] }));
