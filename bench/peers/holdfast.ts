import { openHoldfast, openServers, SUFFIXES } from './open-holdfast.ts';
import type { Servers } from './open-holdfast.ts';
import type { Host, Surroundings } from './peer.ts';

function holdfastHost(name: string, serversFor: (surroundings: Surroundings) => Promise<Servers>): Host {
  return {
    peers: SUFFIXES.map((suffix) => name + suffix),
    open: async (surroundings) => (await openHoldfast(name, surroundings, await serversFor(surroundings))).peers,
  };
}

/** `npm start` with its defaults. */
export const holdfast = holdfastHost('holdfast', async () => ({ environment: {}, processes: [] }));

/** `npm start` with a PostgreSQL server and an in-memory Temporal server. */
export const holdfastOnPostgres = holdfastHost('holdfast-postgres', (surroundings) =>
  openServers(surroundings, 'holdfast'),
);
