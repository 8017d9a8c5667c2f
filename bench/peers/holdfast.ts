import { openHoldfast, openServers, SUFFIXES } from './open-holdfast.ts';
import type { Servers } from './open-holdfast.ts';
import type { Host, SharedServers } from './peer.ts';

function holdfastHost(name: string, serversFor: (servers: SharedServers) => Promise<Servers>): Host {
  return {
    peers: SUFFIXES.map((suffix) => name + suffix),
    open: async (servers) => (await openHoldfast(name, servers, await serversFor(servers))).peers,
  };
}

/** `npm start` with its defaults. */
export const holdfast = holdfastHost('holdfast', async () => ({ environment: {}, processes: [] }));

/** `npm start` with a PostgreSQL server and an in-memory Temporal server. */
export const holdfastOnPostgres = holdfastHost('holdfast-postgres', (servers) => openServers(servers, 'holdfast'));
