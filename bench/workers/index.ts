import { parseArgs } from 'node:util';
import { aToolOf } from '../../test/support/doubles/configured-tool.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import type { ChildNode } from '../../test/support/servers/child-node.ts';
import { startProcesses } from '../../test/support/servers/processes.ts';
import type { EchoTool } from '../peers/echo-tool.ts';
import { graphsWith } from '../peers/holdfast-graphs.ts';
import { holdfastPeer } from '../peers/holdfast-peer.ts';
import { withSharedServers } from '../peers/shared-servers.ts';
import type { Peer, SharedServers } from '../peers/peer.ts';
import { processorTimeOf, timeBetween } from '../peers/processor-time.ts';
import { publishGraphs } from '../peers/publish-graphs.ts';
import { runsAtOnce } from '../peers/rows/runs-at-once.ts';
import { median, print, round } from '../support/timed-run.ts';
import { openCoreShare } from './core-share.ts';
import type { CoreShare } from './core-share.ts';
import { sized } from '../support/size.ts';

/*
 * The number of tool steps per second of one worker process, and of two: `npm run bench:workers`. Prints one JSON object per
 * line, with the processor time of the workers per step. A worker is useful only with its own processor time, so on a small
 * machine limit each one to a share of a core.
 *
 *   --rounds N   (3)
 *   --share S    limits each worker to this part of a core, such as 0.2 (Linux, as root); by default unlimited
 *   --dist       runs what `npm run build` has built
 */

const text = { type: 'string' } as const;
const { values: flags } = parseArgs({
  options: { rounds: { ...text, default: sized('3', '0') }, share: text, dist: { type: 'boolean', default: false } },
});
const rounds = Number(flags.rounds);
const share = flags.share === undefined ? null : Number(flags.share);

const TOOL = 'ping';
const COUNTS = [1, 2];

await withSharedServers(flags.dist, async (servers) => {
  const { peer, workers } = await deploy(servers);
  for (const worker of workers) await worker.stop();
  const rates = new Map<number, number[]>(COUNTS.map((count) => [count, []]));
  // The first round warms up everything.
  for (let turn = 0; turn <= rounds; turn++)
    for (const [count, seen] of rates) {
      const measured = await measure(peer, workers.slice(0, count), servers.tool);
      print({ round: turn, workers: count, ...measured });
      if (turn > 0) seen.push(measured.stepsPerSecond);
    }
  const [one = 0, two = 0] = COUNTS.map((count) => median(rates.get(count) ?? []));
  print({ share, stepsPerSecond: { one, two }, times: round(two / one, 2) });
});

/** Deploys Holdfast with the maximum number of workers, and publishes the graphs. */
async function deploy({ tool, postgres, isBuilt, teardown }: SharedServers) {
  const { host } = new URL(tool.url);
  const config = { tools: [aToolOf(tool, { name: TOOL, effect: 'keyed' })], http: { allow: [host] } };
  const databaseUrl = await postgres.createDatabase('workers');
  const [worker, api] = isBuilt ? ['dist/worker.js', 'dist/api/server.js'] : ['src/worker.ts', 'src/api/server.ts'];
  const { workers, baseUrls, tokens } = await startProcesses(
    {
      databaseUrl,
      config,
      worker,
      api,
      workers: Array.from({ length: Math.max(...COUNTS) }, () => ({})),
      isAwaited: true,
    },
    teardown,
  );
  const [user, approver] = [
    createApiClient(baseUrls[0] ?? '', tokens.user),
    createApiClient(baseUrls[0] ?? '', tokens.approver),
  ];
  await publishGraphs(user, graphsWith(TOOL));
  return { workers, peer: holdfastPeer({ name: 'workers', processes: [], user, approver, tool: TOOL }) };
}

/** Measures with some workers, which run only for this measurement. */
async function measure(peer: Peer, workers: readonly ChildNode[], tool: EchoTool) {
  const shares: CoreShare[] = [];
  for (const worker of workers) {
    await worker.start();
    if (share !== null) shares.push(await openCoreShare(worker.pid, share));
  }
  const processes = workers.map(({ pid }) => pid);
  const before = await processorTimeOf(processes);
  const stepsPerSecond = round(await runsAtOnce.measure(peer, tool), 1);
  const { node = 0 } = timeBetween(before, await processorTimeOf(processes));
  for (const worker of workers) await worker.stop();
  for (const given of shares) await given.remove();
  return { stepsPerSecond, workerMsPerStep: round(node / (runsAtOnce.shares ?? 1), 2) };
}
