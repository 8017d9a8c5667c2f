import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { openIssuer, signTokens } from '../../../src/dev/issuer.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { listenOnPort } from '../../../src/process/listen.ts';
import { startNode } from './child-node.ts';
import type { ChildNode, ChildNodeOptions } from './child-node.ts';
import { keepForReplay, openSource } from './histories.ts';
import { startKillableTemporal } from './killable-temporal.ts';
import type { KillableTemporal } from './killable-temporal.ts';
import { FIRST_PORT } from './ports.ts';

/** Deployed processes of Holdfast: APIs, workers and Temporal as separate processes, with a PostgreSQL database. */
export interface Processes {
  readonly workers: readonly ChildNode[];
  readonly apis: readonly ChildNode[];
  readonly temporal: KillableTemporal;
  /** The base URLs of the APIs. */
  readonly baseUrls: readonly string[];
  readonly tokens: CallerTokens;
  /** Starts another worker without waiting for it. */
  readonly addWorker: (own: NodeJS.ProcessEnv) => ChildNode;
}

export interface ProcessesOptions extends Pick<ChildNodeOptions, 'isLookedAfter'> {
  readonly databaseUrl: string;
  /** The configuration file, or its content, without `auth`. */
  readonly config: URL | ConfigInput;
  /** The variables for the configuration. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Additional variables of each worker. */
  readonly workers?: readonly NodeJS.ProcessEnv[];
  /** The dev server by default. */
  readonly startTemporal?: typeof startKillableTemporal;
  /** The script of the workers. */
  readonly worker?: string;
  /** The script of the APIs. */
  readonly api?: string;
  /** Additional variables of each API. */
  readonly apis?: readonly NodeJS.ProcessEnv[];
  /** True to wait at a start until the process is ready. */
  readonly isAwaited?: boolean;
}

export async function startProcesses(options: ProcessesOptions, teardown: Teardown): Promise<Processes> {
  const { databaseUrl, config, workers = [{}], worker = 'src/worker.ts', apis = [{}], isAwaited = false } = options;
  const { api = 'src/api/server.ts', startTemporal = startKillableTemporal } = options;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-processes-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const temporal = await startTemporal(folder, teardown);
  // Workers and APIs are stopped before this step, and the database after it.
  teardown.add(() => keepForReplay(() => openSource(temporal, databaseUrl, teardown), options.environment ?? {}));
  const issuer = await openIssuer(join(folder, 'issuer.json'), {});
  const keys = await listenOnPort({ fetch: () => Response.json(issuer.auth.keys) }, { port: 0 });
  teardown.add(() => keys.stop());
  const { audience } = issuer.auth;
  const auth = { issuer: issuer.auth.issuer, audience, jwksUrl: keys.url };
  const writeConfig = async (content: ConfigInput): Promise<string> => {
    const file = join(folder, 'holdfast.config.json');
    await writeFile(file, JSON.stringify({ ...content, auth }));
    return file;
  };
  const environment = {
    ...process.env,
    HOLDFAST_CONFIG: config instanceof URL ? fileURLToPath(config) : await writeConfig(config),
    HOLDFAST_CURSOR_SECRET: 'a secret of this test and of no other',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    AUTH_ISSUER: auth.issuer,
    AUTH_AUDIENCE: auth.audience,
    AUTH_JWKS_URL: auth.jwksUrl,
    LOG_LEVEL: isAwaited ? 'info' : 'fatal',
    ...options.environment,
  };
  const launch = (script: string, readyWhen: string, own: NodeJS.ProcessEnv = {}): ChildNode => {
    const child = startNode(script, { ...environment, ...own }, { ...options, ...(isAwaited && { readyWhen }) });
    teardown.add(() => child.kill());
    return child;
  };
  const ports = await Promise.all(apis.map((_, at) => choosePort('the API', undefined, FIRST_PORT + 10 + 5 * at)));
  const deployed = {
    temporal,
    workers: workers.map((own) => launch(worker, 'worker started', own)),
    apis: apis.map((own, at) => launch(api, 'API listening', { ...own, PORT: String(ports[at]) })),
    baseUrls: ports.map((port) => `http://127.0.0.1:${port}`),
    tokens: await signTokens(issuer),
    addWorker: (own: NodeJS.ProcessEnv) => launch(worker, 'worker started', own),
  };
  await Promise.all([...deployed.workers, ...deployed.apis].map((child) => child.untilReady()));
  return deployed;
}
