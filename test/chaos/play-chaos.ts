import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflow } from '../../src/dev/bundle-workflow.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import type { CallerTokens } from '../../src/dev/issuer.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { codeProcessOf } from '../support/servers/code-process.ts';
import { NOT_REPLAYED } from '../support/servers/histories.ts';
import { FIRST_PORT } from '../support/servers/ports.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';
import type { Victim } from '../support/servers/victim.ts';
import { createPatientFetch } from '../support/readers/patient-fetch.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import type { PostgresServer } from '../support/servers/postgres-server.ts';
import { createRandom, seedOf } from '../support/builders/random.ts';
import { startQueryClients } from './askers.ts';
import { executePlans } from './customer.ts';
import type { PlanResult } from './customer.ts';
import { startFaults } from './faults.ts';
import type { Faults, FaultsOptions, InjectedFault } from './faults.ts';
import { judge } from './judge.ts';
import type { Judgment } from './judge.ts';
import { GRAPHS, drawPlanGroups } from './plans.ts';
import type { PlanGroup, Share } from './plans.ts';
import { startScriptedModel } from './scripted-model.ts';
import { settleWorkers } from './settle-workers.ts';
import { startThirdParty } from './third-party.ts';
import type { ThirdParty } from './third-party.ts';

export interface ChaosOptions {
  readonly runs: number;
  readonly seed: number;
  /** The number of concurrent runs. */
  readonly atOnce: number;
  /**
   * False to disable claims: lost calls are then repeated, which the test must detect. Faults then wait for calls that
   * must not be repeated, and affect only the one worker.
   */
  readonly hasClaims: boolean;
  /** The minimum share of runs with one graph; `null` leaves it to chance. */
  readonly share: Share | null;
  /** The number of clients that continuously query all open runs. */
  readonly askers: number;
  readonly onFault: FaultsOptions['onFault'];
  /** Receives each completed plan. */
  readonly onStory: (story: PlanResult) => void;
}

export interface ChaosReport extends Judgment {
  readonly injected: readonly InjectedFault[];
  /** The number of times that a process has exited by itself because a dependency was unavailable at its start. */
  readonly ownEnds: number;
  /** The calls of the third party. */
  readonly calls: number;
  /** The responses of the API by status; `null` counts requests without a response. */
  readonly answers: ReadonlyMap<string, number>;
  /** The number of actions on runs, by kind. */
  readonly actions: ReadonlyMap<string, number>;
  /** The number of answered queries through Temporal. */
  readonly queries: number;
}

const GIVE_UP_AFTER_MS = 400_000;

/** Executes runs while processes are killed, suspended and restarted, and judges the results. */
export async function playChaos(options: ChaosOptions): Promise<ChaosReport> {
  const teardown = openTeardown();
  const leave = (): void => void teardown.run().finally(() => process.exit(130));
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    return await play(options, teardown);
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
    await teardown.run();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

interface Scene {
  /** The file of the workflow bundle of all workers, including those that start after a source file was changed. */
  readonly code: string;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly processes: Processes;
  /** The health endpoints of the workers. */
  readonly healthUrls: readonly string[];
  readonly thirdParty: ThirdParty;
  readonly answers: Map<string, number>;
  readonly as: (caller: keyof CallerTokens) => ApiClient;
}

async function play(options: ChaosOptions, teardown: Teardown): Promise<ChaosReport> {
  const { runs, seed, share, askers: count, onFault } = options;
  const scene = await setUp(options, teardown);
  const { processes, thirdParty, answers } = scene;
  await publishGraphs(scene.as('user'));
  const groups = drawPlanGroups(runs, createRandom(seed), share);
  const askers = startQueryClients(processes.temporal.address, count);
  const faults = startFaults({
    victims: victimsOf(scene, options),
    seed,
    delayCall: async (skip, withinMs) => await thirdParty.delayCall(skip, withinMs),
    settled: async () => await settleWorkers(scene.healthUrls),
    onFault,
  });
  const stories = await serveAll(scene, { ...options, groups, faults });
  await faults.stop();
  const queries = await askers.stop();
  return {
    injected: faults.done,
    ownEnds: [...processes.apis, ...processes.workers].reduce((sum, { ownEnds }) => sum + ownEnds, 0),
    calls: thirdParty.records.calls,
    answers,
    actions: countActions(stories),
    queries,
    ...(await judge(
      {
        temporalAddress: processes.temporal.address,
        databaseUrl: scene.databaseUrl,
        code: scene.code,
        seed,
        client: scene.as('user'),
        records: thirdParty.records,
      },
      stories,
    )),
  };
}

async function setUp({ seed, hasClaims }: ChaosOptions, teardown: Teardown): Promise<Scene> {
  const code = process.env['HOLDFAST_WORKFLOW_BUNDLE'] || (await bundleOnce(teardown));
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const thirdParty = await startThirdParty(seed, hasClaims ? undefined : isUnsafe);
  teardown.add(() => thirdParty.stop());
  const model = await startScriptedModel(seed);
  teardown.add(() => model.stop());
  const databaseUrl = await postgres.createDatabase('holdfast');
  const healthPorts = hasClaims ? await chooseHealthPorts() : [];
  const processes = await startProcesses(
    {
      databaseUrl,
      config: new URL('chaos.config.ts', import.meta.url),
      environment: {
        THIRD_PARTY_URL: thirdParty.url,
        MODEL_URL: model.baseUrl,
        HOLDFAST_WORKFLOW_BUNDLE: code,
        [NOT_REPLAYED]: 'chaos replays its runs itself',
      },
      worker: hasClaims ? 'src/worker.ts' : 'test/chaos/worker-without-claims.ts',
      workers: hasClaims ? healthPorts.map((port) => ({ HOLDFAST_HEALTH_PORT: String(port) })) : [{}],
      // Runs that the first API accepts continue as new often.
      apis: [{ CONTINUE_AFTER: '40' }, {}],
      isLookedAfter: true,
      isAwaited: true,
    },
    teardown,
  );
  const answers = new Map<string, number>();
  const patientFetch = createPatientFetch(processes.baseUrls, createRandom(seedOf(seed, 'clients')), {
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    heard: (status) => count(answers, status === null ? 'none' : String(status)),
  });
  const as = (caller: keyof CallerTokens): ApiClient =>
    createApiClient('http://any', processes.tokens[caller], patientFetch);
  const healthUrls = healthPorts.map((port) => `http://127.0.0.1:${port}/healthz`);
  return { code, postgres, databaseUrl, processes, healthUrls, thirdParty, answers, as };
}

async function bundleOnce(teardown: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chaos-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'workflow.js');
  await bundleWorkflow(file);
  return file;
}

/** Chooses the health ports of two workers. */
async function chooseHealthPorts(): Promise<readonly number[]> {
  return await Promise.all([25, 27].map((at) => choosePort('a worker', undefined, FIRST_PORT + at)));
}

/** True for the jobs of the tool `pay`. */
const isUnsafe = (job: string): boolean => /\/(pay|send|expired)/.test(job);

function victimsOf({ postgres, processes }: Scene, { hasClaims }: ChaosOptions): FaultsOptions['victims'] {
  const named = (name: string, all: readonly Victim[]) =>
    Object.fromEntries(all.map((victim, at) => [`${name} ${at + 1}`, victim]));
  const workers = named('worker', processes.workers);
  if (!hasClaims) return workers;
  return {
    ...workers,
    ...named('code', processes.workers.map(codeProcessOf)),
    ...named('api', processes.apis),
    temporal: processes.temporal,
    postgres: postgres.victim,
  };
}

async function publishGraphs(client: ApiClient): Promise<void> {
  for (const name of GRAPHS) {
    const definition: unknown = JSON.parse(await readFile(new URL(`graphs/${name}.json`, import.meta.url), 'utf8'));
    const { status, body } = await client.post('/api/graphs', definition);
    // A repeated request whose first response was lost gets the published version.
    if (status >= 300) throw new Error(`${name} was not published: ${JSON.stringify(body)}`);
  }
}

interface Service extends Pick<ChaosOptions, 'seed' | 'atOnce' | 'onStory'> {
  readonly groups: readonly PlanGroup[];
  readonly faults: Faults;
}

async function serveAll(
  scene: Scene,
  { groups, seed, atOnce, faults, onStory }: Service,
): Promise<readonly PlanResult[]> {
  const { as, thirdParty } = scene;
  const deps = { as, records: thirdParty.records, untilKnown: () => faults.untilSettled() };
  const stories: PlanResult[] = [];
  const left = [...groups];
  const clerk = async (): Promise<void> => {
    for (let group = left.shift(); group; group = left.shift()) {
      for (const story of await executePlans(deps, group, seed)) {
        stories.push(story);
        onStory(story);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, clerk));
  return stories;
}

function countActions(stories: readonly PlanResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, isAccepted } of stories.flatMap(({ actions }) => actions))
    count(counts, isAccepted ? kind : `${kind} refused`);
  return counts;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
