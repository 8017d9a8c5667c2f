import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/load-config.ts';
import type { HttpToolInput } from '../../src/config/tool.ts';
import type { CallerTokens } from '../../src/dev/issuer.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import { graphsWith, PURE_STEPS } from './holdfast-graphs.ts';
import { holdfastPeer } from './holdfast-peer.ts';
import type { Peer, SharedServers } from './peer.ts';
import { publishGraphs } from './publish-graphs.ts';
import { startProgram } from './start-program.ts';
import { openTemporal } from './temporal.ts';

type Terms = Pick<HttpToolInput, 'name' | 'effect' | 'execution'>;

/** The tool settings by the suffix of a peer's name. */
const TERMS: ReadonlyMap<string, Terms> = new Map([
  ['', { name: 'ping', effect: 'keyed' }],
  ['-idempotent', { name: 'ping_idempotent', effect: 'idempotent' }],
  ['-local', { name: 'ping_local', effect: 'idempotent', execution: 'local' }],
]);

/** Additional settings of `npm start`: external servers, and their processes. */
export interface Servers {
  readonly environment: NodeJS.ProcessEnv;
  readonly processes: readonly number[];
}

/** A running Holdfast. */
interface OpenHoldfast {
  readonly baseUrl: string;
  /** One peer for each suffix, in order. */
  readonly peers: readonly Peer[];
}

/** The suffixes of the names of Holdfast's peers: an empty one for a `keyed` tool. */
export const SUFFIXES: readonly string[] = [...TERMS.keys()];

/** Starts Holdfast by `npm start`, and publishes the graphs of the rows. */
export async function openHoldfast(
  name: string,
  servers: SharedServers,
  { environment, processes }: Servers,
): Promise<OpenHoldfast> {
  const { pid, baseUrl, tokens } = await npmStart(servers, environment);
  const [user, approver] = [createApiClient(baseUrl, tokens.user), createApiClient(baseUrl, tokens.approver)];
  await publishGraphs(user, [PURE_STEPS, ...[...TERMS.values()].flatMap((terms) => graphsWith(terms.name))]);
  const peers = [...TERMS].map(([suffix, { name: tool }]) =>
    holdfastPeer({ name: name + suffix, processes: [pid, ...processes], user, approver, tool }),
  );
  return { baseUrl, peers };
}

/** A database on the PostgreSQL server, and a Temporal server in memory. */
export async function openServers({ postgres, teardown }: SharedServers, database: string): Promise<Servers> {
  const temporal = await openTemporal(teardown);
  return {
    environment: { DATABASE_URL: await postgres.createDatabase(database), TEMPORAL_ADDRESS: temporal.address },
    processes: [temporal.pid, postgres.pid],
  };
}

async function npmStart({ tool, isBuilt, teardown }: SharedServers, environment: NodeJS.ProcessEnv) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-peer-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const [config, tokensFile] = [join(folder, 'holdfast.config.json'), join(folder, 'tokens.json')];
  await writeFile(config, JSON.stringify(configFor(tool.url)));
  const flags = ['--data-dir', join(folder, 'data'), '--config', config, '--tokens-file', tokensFile, '--json'];
  const ports = ['--port', '0', '--temporal-port', '0', '--ui-port', '0'];
  const script = isBuilt ? 'bench/peers/programs/built-holdfast.js' : 'bin/holdfast.js';
  const { pid, firstLine } = await startProgram([script, 'start', ...flags, ...ports], { environment, teardown });
  const { baseUrl }: { baseUrl: string } = JSON.parse(firstLine);
  const tokens: CallerTokens = JSON.parse(await readFile(tokensFile, 'utf8'));
  return { pid, baseUrl, tokens };
}

function configFor(url: string): ConfigInput {
  const tools = [...TERMS.values()].map((terms) => ({
    description: 'Answers at once.',
    parameters: { type: 'object' },
    method: 'POST' as const,
    url,
    timeout: '10s',
    ...terms,
  }));
  return { tools, http: { allow: [new URL(url).host] } };
}
