import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowClient } from '@temporalio/client';
import { choosePort } from '../../src/dev/ports.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import type { Tokens } from '../../src/dev/issuer.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { executionsOf } from '../support/readers/executions.ts';
import { FIRST_PORT } from '../support/servers/ports.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';
import { createPatientFetch } from '../support/readers/patient-fetch.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import type { PostgresServer } from '../support/servers/postgres-server.ts';
import { createRandom, seedOf } from '../support/builders/random.ts';
import { checkDatabase } from './checks/check-rows.ts';
import { keepHistory } from './checks/keep-history.ts';
import { RULES } from './checks/rules.ts';
import { lastFailedTask } from './checks/last-failed-task.ts';
import { gatherFacts } from './checks/run-facts.ts';
import type { Sources } from './checks/run-facts.ts';
import { serve } from './customer.ts';
import type { Story } from './customer.ts';
import { startFaults } from './faults.ts';
import type { Faults, FaultsOptions, Harm } from './faults.ts';
import { GRAPHS, drawErrands } from './plans.ts';
import type { Errand } from './plans.ts';
import { startScriptedModel } from './scripted-model.ts';
import { settleWorkers } from './settle-workers.ts';
import { startThirdParty } from './third-party.ts';
import type { ThirdParty } from './third-party.ts';

export interface ChaosOptions {
  readonly runs: number;
  readonly seed: number;
  /** How many runs go on at a time. */
  readonly atOnce: number;
  /**
   * Without them nothing keeps a lost call from being made again, which chaos has to find out: it lies in wait for calls
   * that must not be made twice, and does harm to the only worker.
   */
  readonly hasClaims: boolean;
  readonly onHarm: FaultsOptions['onHarm'];
  /** Is told of each run that people are done with. */
  readonly onStory: (story: Story) => void;
}

export interface ChaosReport {
  readonly harm: readonly Harm[];
  /** How often a process has ended by itself: what it needs was away when it started. */
  readonly ownEnds: number;
  /** Calls of the third party. */
  readonly calls: number;
  /** Answers of the API by status; without one: no answer came. */
  readonly answers: ReadonlyMap<string, number>;
  /** How often people did something to a run, by what it was. */
  readonly actions: ReadonlyMap<string, number>;
  /** How many runs have gone on as new executions, because their histories had grown too long. */
  readonly continued: number;
  /** One for each run, and one for each rule about all rows. */
  readonly verdicts: readonly Verdict[];
}

export interface Verdict {
  readonly about: string;
  /** What is wrong; nothing: it has passed. */
  readonly findings: readonly string[];
}

const GIVE_UP_AFTER_MS = 400_000;

/** Lets runs go on while processes are killed, stopped and restarted, and says what has become of them. */
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
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly processes: Processes;
  /** Of the workers that answer probes. */
  readonly healthUrls: readonly string[];
  readonly thirdParty: ThirdParty;
  readonly answers: Map<string, number>;
  readonly as: (caller: keyof Tokens) => ApiClient;
}

async function play(options: ChaosOptions, teardown: Teardown): Promise<ChaosReport> {
  const { runs, seed, onHarm } = options;
  const scene = await setUp(options, teardown);
  const { processes, thirdParty, answers } = scene;
  await publishGraphs(scene.as('user'));
  const errands = drawErrands(runs, createRandom(seed));
  const faults = startFaults({
    victims: victimsOf(scene, options),
    seed,
    ambush: async (skip, withinMs) => await thirdParty.ambush(skip, withinMs),
    settled: async () => await settleWorkers(scene.healthUrls),
    onHarm,
  });
  const stories = await serveAll(scene, { ...options, errands, faults });
  await faults.stop();
  return {
    harm: faults.done,
    ownEnds: [...processes.apis, ...processes.workers].reduce((sum, { ownEnds }) => sum + ownEnds, 0),
    calls: thirdParty.books.calls,
    answers,
    actions: countActions(stories),
    ...(await judge(scene, stories)),
  };
}

async function setUp({ seed, hasClaims }: ChaosOptions, teardown: Teardown): Promise<Scene> {
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
      environment: { THIRD_PARTY_URL: thirdParty.url, MODEL_URL: model.baseUrl },
      worker: hasClaims ? 'src/worker.ts' : 'test/chaos/worker-without-claims.ts',
      workers: hasClaims ? healthPorts.map((port) => ({ HOLDFAST_HEALTH_PORT: String(port) })) : [{}],
      // Runs that the first one accepts go on as new executions often.
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
  const as = (caller: keyof Tokens): ApiClient => createApiClient('http://any', processes.tokens[caller], patientFetch);
  const healthUrls = healthPorts.map((port) => `http://127.0.0.1:${port}/healthz`);
  return { postgres, databaseUrl, processes, healthUrls, thirdParty, answers, as };
}

/** Two workers' ports. */
async function chooseHealthPorts(): Promise<readonly number[]> {
  return await Promise.all([25, 27].map((at) => choosePort('a worker', undefined, FIRST_PORT + at)));
}

/** The jobs that are done by the tool `pay`. */
const isUnsafe = (job: string): boolean => /\/(pay|send|expired)/.test(job);

function victimsOf({ postgres, processes }: Scene, { hasClaims }: ChaosOptions): FaultsOptions['victims'] {
  const named = (name: string, all: Processes['apis']) =>
    Object.fromEntries(all.map((victim, at) => [`${name} ${at + 1}`, victim]));
  const workers = named('worker', processes.workers);
  if (!hasClaims) return workers;
  return {
    ...workers,
    ...named('api', processes.apis),
    temporal: processes.temporal,
    postgres: postgres.victim,
  };
}

async function publishGraphs(client: ApiClient): Promise<void> {
  for (const name of GRAPHS) {
    const definition: unknown = JSON.parse(await readFile(new URL(`graphs/${name}.json`, import.meta.url), 'utf8'));
    const { status, body } = await client.post('/api/graphs', definition);
    // Who asks again, as no answer had come, is told that it is published already.
    if (status >= 300) throw new Error(`${name} was not published: ${JSON.stringify(body)}`);
  }
}

interface Service extends Pick<ChaosOptions, 'seed' | 'atOnce' | 'onStory'> {
  readonly errands: readonly Errand[];
  readonly faults: Faults;
}

async function serveAll(scene: Scene, { errands, seed, atOnce, faults, onStory }: Service): Promise<readonly Story[]> {
  const { as, thirdParty } = scene;
  const office = { as, books: thirdParty.books, untilKnown: () => faults.untilAwake() };
  const stories: Story[] = [];
  const left = [...errands];
  const clerk = async (): Promise<void> => {
    for (let errand = left.shift(); errand; errand = left.shift()) {
      for (const story of await serve(office, errand, seed)) {
        stories.push(story);
        onStory(story);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, clerk));
  return stories;
}

async function judge(scene: Scene, stories: readonly Story[]): Promise<Pick<ChaosReport, 'continued' | 'verdicts'>> {
  const { processes, databaseUrl, thirdParty, as } = scene;
  const connection = await Connection.connect({ address: processes.temporal.address });
  try {
    const { workflow } = new Client({ connection });
    const sources: Sources = {
      client: as('user'),
      workflowOf: (id) => workflow.getHandle(toWorkflowId({ tenantId: 'demo', id })),
      done: thirdParty.books.done,
    };
    const ofRuns: Verdict[] = [];
    for (const story of stories) ofRuns.push(await judgeRun(sources, story));
    const accepted = stories.flatMap(({ runId }) => (runId === null ? [] : [runId]));
    const ofRows = Object.entries(await checkDatabase(databaseUrl, accepted.length));
    return {
      continued: await countContinued(workflow, accepted),
      verdicts: [...ofRuns, ...ofRows.map(([about, findings]) => ({ about, findings }))],
    };
  } finally {
    await connection.close();
  }
}

/** A run whose history can't be had counts as none: its verdict says so. */
async function countContinued(workflow: WorkflowClient, runIds: readonly string[]): Promise<number> {
  let continued = 0;
  for (const runId of runIds) {
    const executions = await executionsOf(workflow, runId).catch(() => []);
    if (executions.length > 1) continued += 1;
  }
  return continued;
}

async function judgeRun(sources: Sources, story: Story): Promise<Verdict> {
  const { plan, runId, trouble } = story;
  const about = `${plan.job} (${plan.graph}, ${plan.begins.kind}, ${runId ?? 'not accepted'})`;
  if (runId === null) return { about, findings: [trouble ?? 'It was not accepted'] };
  const facts = await gatherFacts(sources, story, runId).catch(inWords);
  if (typeof facts === 'string') {
    const workflow = sources.workflowOf(runId);
    const failed = await lastFailedTask(workflow).catch(inWords);
    const path = await keepHistory(workflow).catch(inWords);
    return { about, findings: [`Nothing can be said of it: ${facts}; ${failed}; its history: ${path}`] };
  }
  return {
    about,
    findings: Object.entries(RULES).flatMap(([rule, check]) => check(facts).map((text) => `${rule}: ${text}`)),
  };
}

/** An error with what has caused it. */
function inWords(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? `${error}, as ${inWords(error.cause)}` : String(error);
}

function countActions(stories: readonly Story[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, isAccepted } of stories.flatMap(({ actions }) => actions))
    count(counts, isAccepted ? kind : `${kind} refused`);
  return counts;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
