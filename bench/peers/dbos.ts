import type { Host } from './peer.ts';
import { programPeer } from './program-peer.ts';
import { startProgram } from './start-program.ts';

/** DBOS, a library on PostgreSQL. */
export const dbos: Host = {
  peers: ['dbos'],
  async open({ tool, postgres, teardown }) {
    const environment = { ECHO_URL: tool.url, DATABASE_URL: await postgres.createDatabase('dbos') };
    const { pid, firstLine } = await startProgram(['bench/peers/programs/dbos.ts'], { environment, teardown });
    return [programPeer('dbos', { url: firstLine, processes: [pid, postgres.pid] })];
  },
};
