import type { Host, Surroundings } from './peer.ts';
import { programPeer } from './program-peer.ts';
import { startProgram } from './start-program.ts';

/** LangGraph with one of its savers; the processes besides its own are those that the saver keeps checkpoints in. */
async function openWith(
  saver: string,
  { tool, teardown }: Surroundings,
  server: { readonly environment: NodeJS.ProcessEnv; readonly processes: readonly number[] },
) {
  const environment = { ECHO_URL: tool.url, SAVER: saver, ...server.environment };
  const { pid, firstLine } = await startProgram(['bench/peers/programs/langgraph.ts'], { environment, teardown });
  return [programPeer(`langgraph-${saver}`, { url: firstLine, processes: [pid, ...server.processes] })];
}

export const langgraphInMemory: Host = {
  peers: ['langgraph-memory'],
  open: async (surroundings) => await openWith('memory', surroundings, { environment: {}, processes: [] }),
};

export const langgraphOnPostgres: Host = {
  peers: ['langgraph-postgres'],
  async open(surroundings) {
    const { postgres } = surroundings;
    const environment = { DATABASE_URL: await postgres.createDatabase('langgraph') };
    return await openWith('postgres', surroundings, { environment, processes: [postgres.pid] });
  },
};
