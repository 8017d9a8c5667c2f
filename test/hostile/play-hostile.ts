import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiAnswer, ApiClient } from '../support/readers/api-client.ts';
import type { ChildNode } from '../support/servers/child-node.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';
import { drawAttacks } from './attacks.ts';
import type { Attack } from './attacks.ts';
import { HARMLESS_GRAPHS } from './graphs.ts';
import { startStranger } from './stranger.ts';
import type { Stranger } from './stranger.ts';

export interface HostileOptions {
  readonly attacks: number;
  readonly seed: number;
  /** Receives each attack and its outcome. */
  readonly onAttack: (attack: Attack, outcome: Outcome) => void;
}

export interface Outcome {
  /** The statuses of the responses to the attack. */
  readonly statuses: readonly number[];
  /** The duration of another tenant's run right after the attack, in milliseconds. */
  readonly otherMs: number;
  /** The violated expectations; empty if the engine withstood the attack. */
  readonly findings: readonly string[];
}

export interface HostileReport {
  readonly outcomes: readonly Outcome[];
  /** The memory of each process in MiB, after a quarter of the attacks and at the end. */
  readonly memory: Readonly<Record<string, { readonly early: number; readonly late: number }>>;
  readonly findings: readonly string[];
}

const HEAP_MIB = 1_024;
/** Allows for garbage that is not collected yet, and for caches that fill up later than after a quarter of the attacks. */
const GROWTH_MIB = 400;
const ANSWER_WITHIN_MS = 1_000;
/** A busy machine may exceed a second by chance, so only a response that is late in every attempt counts as a finding. */
const TRIES = 5;
const ENDS_WITHIN_MS = 30_000;
/** Runs before the first attack measure the speed of the machine. */
const RUNS_BEFORE = 20;
const TIMES_SLOWER = 4;

interface Scene {
  readonly user: ApiClient;
  readonly approver: ApiClient;
  /** A client of another tenant, which sends no attacks. */
  readonly other: ApiClient;
  readonly stranger: Stranger;
  readonly temporal: Client;
  readonly processes: Readonly<Record<string, ChildNode>>;
}

interface AttackedScene extends Scene {
  /** The time limit for a run of the other tenant. */
  readonly answersWithinMs: number;
}

/** Sends attacks to the processes of Holdfast one after the other, and checks the processes after each. */
export async function playHostile(options: HostileOptions): Promise<HostileReport> {
  const teardown = openTeardown();
  try {
    return await play(await setUp(teardown), options);
  } finally {
    await teardown.run();
  }
}

async function setUp(teardown: Teardown): Promise<Scene> {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const stranger = await startStranger(teardown);
  const retry = { maxAttempts: 2, initialInterval: '10ms' };
  const started = await startProcesses(
    {
      databaseUrl: await postgres.createDatabase('holdfast'),
      config: {
        models: {
          default: {
            provider: 'openai-compatible',
            model: 'scripted',
            baseUrl: `${stranger.url}/v1`,
            timeout: '5s',
            retry,
          },
        },
        tools: [
          {
            name: 'echo',
            description: 'Says it again',
            parameters: { type: 'object' },
            method: 'POST',
            url: `${stranger.url}/echo`,
            effect: 'idempotent',
            timeout: '5s',
            retry,
          },
        ],
        http: { allow: [stranger.host] },
      },
      environment: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
      isAwaited: true,
    },
    teardown,
  );
  const {
    apis: [api],
    workers: [worker],
    baseUrls: [baseUrl],
    tokens,
  } = started;
  if (!api || !worker || baseUrl === undefined) throw new TypeError('There is an API and a worker');
  const connection = await Connection.connect({ address: started.temporal.address });
  teardown.add(() => connection.close());
  const scene = {
    user: createApiClient(baseUrl, tokens.user),
    approver: createApiClient(baseUrl, tokens.approver),
    other: createApiClient(baseUrl, tokens.otherTenantUser),
    stranger,
    temporal: new Client({ connection }),
    processes: { api, worker },
  };
  for (const graph of HARMLESS_GRAPHS) {
    for (const client of [scene.user, scene.other]) {
      const { status, body } = await client.post('/api/graphs', graph);
      if (status !== 201) throw new Error(`${graph.name} was not published: ${JSON.stringify(body)}`);
    }
  }
  return scene;
}

async function play(scene: Scene, { attacks, seed, onAttack }: HostileOptions): Promise<HostileReport> {
  const outcomes: Outcome[] = [];
  const answersWithinMs = Math.max(ANSWER_WITHIN_MS, TIMES_SLOWER * (await longestRunBeforeMs(scene)));
  let early = await memoryOf(scene);
  for (const [at, attack] of drawAttacks(attacks, seed).entries()) {
    const outcome = await playAttack({ ...scene, answersWithinMs }, attack);
    outcomes.push(outcome);
    onAttack(attack, outcome);
    if (at === Math.floor(attacks / 4)) early = await memoryOf(scene);
  }
  const late = await memoryOf(scene);
  const memory = Object.fromEntries(
    Object.entries(early).map(([name, mib]) => [name, { early: mib, late: late[name] ?? 0 }]),
  );
  const grown = Object.entries(memory).flatMap(([name, used]) =>
    used.late - used.early > GROWTH_MIB ? [`The ${name} grew from ${used.early} to ${used.late} MiB`] : [],
  );
  return { outcomes, memory, findings: [...outcomes.flatMap(({ findings }) => findings), ...grown] };
}

async function playAttack(scene: AttackedScene, attack: Attack): Promise<Outcome> {
  const answers = await send(scene, attack).catch((error: unknown) => `No answer: ${String(error)}`);
  const findings: string[] = [];
  if (typeof answers === 'string') findings.push(answers);
  const heard = typeof answers === 'string' ? [] : answers;
  for (const { status, body } of heard)
    if (status >= 500) findings.push(`It was answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
  for (const [name, child] of Object.entries(scene.processes))
    if (child.ownEnds > 0) findings.push(`The ${name} has ended`);
  const otherMs = await shortestRunMs(scene);
  if (otherMs > scene.answersWithinMs) findings.push(`A run of another tenant took ${otherMs} ms`);
  for (const id of heard.flatMap(({ body }) => runIdIn(body))) findings.push(...(await endRun(scene, id)));
  return { statuses: heard.map(({ status }) => status), otherMs, findings };
}

async function send(scene: Scene, attack: Attack): Promise<readonly ApiAnswer[]> {
  const { user, stranger } = scene;
  switch (attack.kind) {
    case 'validate':
      return [await sendText(user, '/api/graphs/validate', attack)];
    case 'publish':
      return [await sendText(user, '/api/graphs', attack)];
    case 'start':
    case 'input':
      return [await sendText(user, '/api/runs', attack)];
    case 'reply':
      stranger.answers(attack.reply, attack.contentType);
      return [await startHarmless(user, 'calling')];
    case 'model':
      stranger.answers(attack.reply, 'application/json');
      return [await startHarmless(user, 'thinking')];
    case 'signal':
      return await sendSignal(scene, attack);
  }
}

async function sendSignal(
  { user, approver, temporal }: Scene,
  { name, payload, asTemporal }: Extract<Attack, { kind: 'signal' }>,
): Promise<readonly ApiAnswer[]> {
  const started = await startHarmless(user, 'waiting');
  const [id = ''] = runIdIn(started.body);
  if (asTemporal) {
    // Other clients may send any bytes, which need not be JSON.
    await temporal.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: toWorkflowId({ tenantId: 'demo', id }) },
      signalName: name,
      input: { payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(payload) }] },
    });
    return [started];
  }
  const path = name === 'edit' ? `/api/runs/${id}/state` : `/api/runs/${id}/${name}`;
  const client = name === 'approve' || name === 'reject' ? approver : user;
  return [started, await sendText(client, path, { method: name === 'edit' ? 'PATCH' : 'POST', body: payload })];
}

async function sendText(
  client: ApiClient,
  path: string,
  { method = 'POST', body }: { method?: string; body: string },
): Promise<ApiAnswer> {
  const headers = { 'content-type': 'application/json', 'if-match': '*', prefer: 'wait=2' };
  return await retryLate(async () => await client.send(path, { method, headers, body }));
}

async function startHarmless(client: ApiClient, graph: string): Promise<ApiAnswer> {
  return await retryLate(async () => await client.post('/api/runs', { graph, input: {} }, { prefer: 'wait=2' }));
}

/** Repeats a late request, because the machine may be busy. */
async function retryLate(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answered = await ask();
    const isBusy = answered.status === 503 && fieldOf(answered.body, 'code') === 'UNAVAILABLE';
    if (!isBusy || tries === TRIES) return answered;
  }
}

/** @returns the shortest duration of several runs, in milliseconds */
async function shortestRunMs(scene: AttackedScene): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > scene.answersWithinMs; tries += 1)
    least = Math.min(least, await runOnceMs(scene));
  return least;
}

/** @returns the duration of a run in milliseconds; `Infinity` if it does not end */
async function runOnceMs({ other }: Scene): Promise<number> {
  const began = performance.now();
  const { body } = await other.post('/api/runs', { graph: 'trivial', input: {} }, { prefer: 'wait=20' });
  return isEnded(body) ? Math.round(performance.now() - began) : Number.POSITIVE_INFINITY;
}

/** @returns the longest duration of several runs before any attack, in milliseconds */
async function longestRunBeforeMs(scene: Scene): Promise<number> {
  const times: number[] = [];
  while (times.length < RUNS_BEFORE) times.push(await runOnceMs(scene));
  return Math.max(...times.filter(Number.isFinite));
}

/** Cancels a run that has not ended. @returns a finding if it does not end */
async function endRun({ user }: Scene, id: string): Promise<readonly string[]> {
  const { body } = await user.get(`/api/runs/${id}`);
  if (isEnded(body)) return [];
  const canceled = await user.post(`/api/runs/${id}/cancel`, {});
  const findings = canceled.status >= 500 ? [`Canceling was answered ${canceled.status}`] : [];
  const ended = await user.untilRun(id, isEnded, ENDS_WITHIN_MS).catch(() => null);
  return ended === null ? [...findings, `Run ${id} is stuck`] : findings;
}

const isEnded = (run: unknown): boolean => {
  const status = fieldOf(run, 'status');
  return status === 'completed' || status === 'failed' || status === 'canceled';
};

function runIdIn(body: unknown): readonly string[] {
  const id = fieldOf(body, 'id');
  return typeof id === 'string' && fieldOf(body, 'workflowId') !== undefined ? [id] : [];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The resident memory of each process, in MiB. */
async function memoryOf({ processes }: Scene): Promise<Readonly<Record<string, number>>> {
  const read = async ([name, { pid }]: [string, ChildNode]): Promise<[string, number]> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return [name, Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)];
  };
  return Object.fromEntries(await Promise.all(Object.entries(processes).map(read)));
}
