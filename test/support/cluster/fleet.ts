import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { findConformanceSuite, playSuite } from '../../../src/dev/conformance.ts';
import { createClient } from '../../../src/dev/demo/ticket.ts';
import type { Client as DemoClient } from '../../../src/dev/demo/ticket.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import { startWithTeardown } from '../../../src/dev/teardown.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import { startSlowModel } from '../doubles/slow-model.ts';
import { parseDocument } from '../../../src/graph/values/parse-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { at, listAt, textAt } from '../readers/json-at.ts';
import type { ChildNode } from '../servers/child-node.ts';
import { FIRST_PORT } from '../servers/ports.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { startProcesses } from '../servers/processes.ts';
import { openTemporalCli } from '../servers/temporal-cli.ts';
import type { TemporalCli } from '../servers/temporal-cli.ts';
import { startThirdParties } from '../servers/third-parties.ts';
import type { ThirdParties } from '../servers/third-parties.ts';
import { makeCurrent, versionOf } from '../servers/worker-versions.ts';
import { startLoadBalancer } from './load-balancer.ts';
import type { LoadBalancer } from './load-balancer.ts';
import { provideBuild } from './provide-build.ts';
import { temporalOn } from './temporal-cluster.ts';

/**
 * Holdfast as in production: two APIs of the built package behind one address, two workers of each version, a Temporal
 * server on PostgreSQL; and third parties for the demo, the conformance suite and the tests.
 */
export interface Fleet extends Pick<ThirdParties, 'accounts' | 'resetShop'> {
  readonly apis: readonly ChildNode[];
  /** The workers of version 1. */
  readonly workers: readonly ChildNode[];
  readonly loadBalancer: LoadBalancer;
  readonly jobs: JobService;
  readonly temporal: Client;
  readonly cli: TemporalCli;
  /** Returns a client of the common address. */
  as(caller: keyof CallerTokens): ApiClient;
  /** Returns a client of one API. */
  at(api: number, caller: keyof CallerTokens): ApiClient;
  /** Returns a client of the common address that retries while it is unavailable. */
  patient(caller: keyof CallerTokens): DemoClient;
  /** Requests a stream from the common address. */
  open(caller: keyof CallerTokens, path: string, headers: Readonly<Record<string, string>>): Promise<Response>;
  /** Runs themes of the conformance suite. @returns the ids of the scenarios that failed */
  conform(themes: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** Starts two workers of another version. */
  addWorkers(buildId: string, own: NodeJS.ProcessEnv): Promise<void>;
  stop(): Promise<void>;
}

const WORKERS = 2;

export async function startFleet(): Promise<Fleet> {
  return await startWithTeardown(start);
}

async function start(teardown: Teardown): Promise<Fleet> {
  await provideBuild();
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const thirdParties = await startThirdParties(await postgres.createDatabase('shop'), teardown);
  const jobs = await startJobService();
  teardown.add(() => jobs.stop());
  const slowModel = await startSlowModel({ words: 40, pauseMs: 20 });
  teardown.add(() => slowModel.stop());
  const suite = await openSuite();
  const { apis, workers, baseUrls, tokens, temporal, addWorker } = await startProcesses(
    {
      databaseUrl: await postgres.createDatabase('holdfast'),
      config: new URL('./fleet.config.ts', import.meta.url),
      environment: {
        ...thirdParties.environment,
        ...suite.environment,
        ...versionOf('1'),
        JOBS_URL: jobs.url,
        SLOW_MODEL_URL: slowModel.baseUrl,
        HOLDFAST_WORKFLOW_BUNDLE: '',
      },
      startTemporal: temporalOn(postgres),
      worker: 'dist/worker.js',
      workers: Array.from({ length: WORKERS }, () => ({})),
      api: 'dist/api/server.js',
      apis: [{}, {}],
      isAwaited: true,
    },
    teardown,
  );
  const cli = await openTemporalCli({ temporalAddress: temporal.address });
  await makeCurrent(cli, '1');
  const loadBalancer = await startLoadBalancer(baseUrls);
  teardown.add(() => loadBalancer.stop());
  const connection = await Connection.connect({ address: temporal.address });
  teardown.add(() => connection.close());
  const tokensFile = await writeTokens(tokens, teardown);
  return {
    ...thirdParties,
    apis,
    workers,
    loadBalancer,
    jobs,
    temporal: new Client({ connection }),
    cli,
    as: (caller) => createApiClient(loadBalancer.url, tokens[caller]),
    at: (api, caller) => createApiClient(baseUrls[api] ?? '', tokens[caller]),
    patient: (caller) => createClient(loadBalancer.url, tokens[caller]),
    open: async (caller, path, headers) =>
      await fetch(new URL(path, loadBalancer.url), {
        headers: { authorization: `Bearer ${tokens[caller]}`, ...headers },
      }),
    async conform(themes, signal) {
      const results = `${tokensFile}.results`;
      const chosen = themes.flatMap((theme) => ['--theme', theme]);
      const place = ['--base-url', loadBalancer.url, '--tokens', tokensFile, ...suite.ports];
      await playSuite(suite, [...place, ...chosen, '--json', results], signal);
      return failedIn(parseDocument(await readFile(results, 'utf8')));
    },
    async addWorkers(buildId, own) {
      const added = Array.from({ length: WORKERS }, () => addWorker({ ...own, ...versionOf(buildId) }));
      await Promise.all(added.map((worker) => worker.untilReady()));
    },
    stop: () => teardown.run(),
  };
}

/** Finds the conformance suite, and reserves ports for the services that its scenarios call. */
async function openSuite() {
  const suite = findConformanceSuite(process.env);
  const tools = await choosePort('the tools of the suite', undefined, FIRST_PORT + 25);
  const models = await choosePort('the models of the suite', undefined, tools + 1);
  const places = { '127.0.0.1:18181': `127.0.0.1:${tools}`, '127.0.0.1:18182': `127.0.0.1:${models}` };
  return {
    ...suite,
    ports: ['--tool-port', String(tools), '--model-port', String(models)],
    environment: suite.isThere ? { CONFORMANCE_CONFIG: suite.config, CONFORMANCE_PLACES: JSON.stringify(places) } : {},
  };
}

function failedIn(results: Json): string[] {
  return listAt(results, '/results')
    .filter((result) => at(result, '/passed') !== true)
    .map((result) => textAt(result, '/id'));
}

async function writeTokens(tokens: CallerTokens, teardown: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-fleet-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'tokens.json');
  await writeFile(file, JSON.stringify(tokens), { mode: 0o600 });
  return file;
}
