import { openHoldfast, openServers, SUFFIXES } from './open-holdfast.ts';
import type { Servers } from './open-holdfast.ts';
import type { Host, Surroundings } from './peer.ts';

function holdfastHost(name: string, serversFor: (surroundings: Surroundings) => Promise<Servers>): Host {
  return {
    peers: SUFFIXES.map((suffix) => name + suffix),
    open: async (surroundings) => (await openHoldfast(name, surroundings, await serversFor(surroundings))).peers,
  };
}

/** `npm start` as it is. */
export const holdfast = holdfastHost('holdfast', async () => ({ environment: {}, processes: [] }));

/** `npm start` on a PostgreSQL server, and on a Temporal server in memory. */
export const holdfastOnPostgres = holdfastHost('holdfast-postgres', (surroundings) =>
  openServers(surroundings, 'holdfast'),
);
