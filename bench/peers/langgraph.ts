import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host, SharedServers } from './peer.ts';
import { programPeer } from './program-peer.ts';
import { SQLITE_SAVER } from './sqlite-saver.ts';
import { startProgram } from './start-program.ts';

/** The storage of a saver: the variables of its environment, and its processes. */
interface SaverStorage {
  readonly environment: NodeJS.ProcessEnv;
  readonly processes: readonly number[];
}

function langgraphHost(saver: string, openStorage: (servers: SharedServers) => Promise<SaverStorage>): Host {
  const name = `langgraph-${saver}`;
  return {
    peers: [name],
    async open(servers) {
      const { tool, teardown } = servers;
      const { environment, processes } = await openStorage(servers);
      const { pid, firstLine } = await startProgram(['bench/peers/programs/langgraph.ts'], {
        environment: { ECHO_URL: tool.url, SAVER: saver, ...environment },
        teardown,
      });
      return [programPeer(name, { url: firstLine, processes: [pid, ...processes] })];
    },
  };
}

const inMemory = langgraphHost('memory', async () => ({ environment: {}, processes: [] }));

const onSqlite = langgraphHost('sqlite', async ({ teardown }) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-peer-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  return { environment: { SQLITE_FILE: join(folder, 'checkpoints.db') }, processes: [] };
});

const onPostgres = langgraphHost('postgres', async ({ postgres }) => ({
  environment: { DATABASE_URL: await postgres.createDatabase('langgraph') },
  processes: [postgres.pid],
}));

/** LangGraph with each of its savers; that of SQLite only if it is installed. */
export const langgraph: readonly Host[] = [inMemory, ...(isInstalled(SQLITE_SAVER) ? [onSqlite] : []), onPostgres];

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
