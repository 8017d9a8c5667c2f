import { parseArgs } from 'node:util';
import { print } from '../support/timed-run.ts';
import { ALL_HOSTS } from './all-hosts.ts';
import type { EchoTool } from './echo-tool.ts';
import { withSharedServers } from './shared-servers.ts';
import { measure, openMeasurements } from './measurements.ts';
import type { Measurements } from './measurements.ts';
import type { Peer, SharedServers } from './peer.ts';
import { toTables, writeReport } from './report.ts';
import { ALL_ROWS } from './rows/all-rows.ts';
import { sized } from '../support/size.ts';

/*
 * Compares Holdfast with its peers, all measured from outside: `npm run bench:peers`. Each round measures each row once on
 * each peer, in alternation. Prints one JSON object per line, then the tables; a run of all rows and peers writes these to
 * docs/performance.md.
 *
 *   --rounds N    (5)
 *   --only A,B    only these rows: tool-steps, runs-at-once, fan-out, pure-steps, decision
 *   --peers A,B   only these peers: holdfast, holdfast-local, temporal, dbos, ...
 *   --dist        Holdfast runs what `npm run build` has built
 */

const text = { type: 'string' } as const;
const ONE_OF_EACH = 'holdfast,temporal,dbos,langgraph-postgres';
const { values: flags } = parseArgs({
  options: {
    rounds: { ...text, default: sized('5', '1') },
    only: text,
    peers: { ...text, ...sized({}, { default: ONE_OF_EACH }) },
    dist: { type: 'boolean', default: false },
  },
});
const rounds = Number(flags.rounds);
const rows = ALL_ROWS.filter(({ name }) => flags.only?.split(',').includes(name) ?? true);
const selectedPeers = ALL_HOSTS.flatMap((host) => host.peers).filter(
  (name) => flags.peers?.split(',').includes(name) ?? true,
);

await withSharedServers(flags.dist, async (servers) => {
  const { tool } = servers;
  const peers = await openPeers(servers);
  const measurements = openMeasurements();
  // The first round warms up all peers.
  await playRound(0, { peers, tool });
  for (let round = 1; round <= rounds; round++) await playRound(round, { peers, tool, measurements });
  const reported = { rows, peers: selectedPeers, rounds };
  process.stdout.write(`\n${toTables(reported, measurements)}\n`);
  if (flags.only === undefined && flags.peers === undefined) await writeReport(reported, measurements);
});

async function openPeers(servers: SharedServers): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (const host of ALL_HOSTS)
    if (host.peers.some((name) => selectedPeers.includes(name))) peers.push(...(await host.open(servers)));
  return peers.filter(({ name }) => selectedPeers.includes(name));
}

interface Round {
  readonly peers: readonly Peer[];
  readonly tool: EchoTool;
  /** The target of the measurements; absent for the warm-up. */
  readonly measurements?: Measurements;
}

async function playRound(round: number, { peers, tool, measurements }: Round): Promise<void> {
  for (const [row, peer] of rows.flatMap((row) => peers.map((peer) => [row, peer] as const))) {
    const measurement = await measure(row, peer, tool);
    measurements?.add(row, peer, measurement);
    print({ round, row: row.name, peer: peer.name, ...measurement });
  }
}
