import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopChild } from '../../src/dev/child-process.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { listen } from '../../src/process/listen.ts';
import { aToolOf } from '../../test/support/doubles/configured-tool.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import type { ApiClient } from '../../test/support/readers/api-client.ts';
import { textAt } from '../../test/support/readers/json-at.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { startProcesses } from '../../test/support/servers/processes.ts';
import { residentMemory } from '../support/resident-memory.ts';
import { median, print, round } from '../support/timed-run.ts';
import { LARGE_RUNS } from './large-graphs.ts';
import type { LargeRun } from './large-graphs.ts';
import { sized } from '../support/size.ts';

/*
 * The duration of a trivial run of one tenant while another has a run with large state or output: `npm run
 * bench:fairness:large`. Prints a JSON object per line for each kind of run, with the embedded database and with
 * PostgreSQL. `SHAPES` selects kinds by a part of their names, `DATABASES` is a part of `embedded,postgres`.
 */

const IDLE_ROUNDS = sized(12, 1);
/** A run that takes longer is canceled. */
const WATCHED_MS = Number(process.env['WATCHED_MS'] ?? 40_000);
const KIB_PER_GIB = 1_048_576;

const TRIVIAL: GraphDefinition = {
  name: 'trivial',
  channels: { log: { reducer: 'append' } },
  nodes: { begin: { type: 'set', write: { log: 'begun' } }, end: { type: 'set', write: { log: 'over' } } },
  edges: [
    { from: '__start__', to: 'begin' },
    { from: 'begin', to: 'end' },
  ],
};

interface RunningHoldfast {
  readonly greedy: ApiClient;
  readonly other: ApiClient;
  /** The process ids of Holdfast. */
  readonly processIds: readonly number[];
}

type Open = (config: object, teardown: Teardown) => Promise<RunningHoldfast>;

/** Like `npm start`: one process with its database in a thread. */
const openEmbedded: Open = async (config, teardown) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const tokensFile = join(folder, 'tokens.json');
  const flags = ['--json', '--port', '0', '--data-dir', join(folder, 'data'), '--tokens-file', tokensFile];
  const child = spawn(process.execPath, ['bin/holdfast.js', 'start', ...flags], {
    env: { ...process.env, HOLDFAST_CONFIG: join(folder, 'config.json'), DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  teardown.add(() => stopChild(child, 20_000));
  for await (const line of createInterface({ input: child.stdout })) {
    const { baseUrl }: { baseUrl: string } = JSON.parse(line);
    const tokens: Record<string, string> = JSON.parse(await readFile(tokensFile, 'utf8'));
    const client = (caller: string) => createApiClient(baseUrl, tokens[caller] ?? '');
    return { greedy: client('user'), other: client('otherTenantUser'), processIds: [child.pid ?? 0] };
  }
  throw new Error('It has not started');
};

/** Like a deployment: a worker, an API and a PostgreSQL server, each in its own process. */
const openDeployed: Open = async (config, teardown) => {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('bench');
  const started = await startProcesses({ databaseUrl, config, isAwaited: true }, teardown);
  const client = (token: string) => createApiClient(started.baseUrls[0] ?? '', token);
  const { user, otherTenantUser } = started.tokens;
  const processIds = [...started.workers, ...started.apis].map(({ pid }) => pid);
  return { greedy: client(user), other: client(otherTenantUser), processIds };
};

const OPEN: Readonly<Record<string, Open>> = { embedded: openEmbedded, postgres: openDeployed };
const selectedDatabases = (process.env['DATABASES'] ?? Object.keys(OPEN).join()).split(',');
for (const [database, open] of Object.entries(OPEN))
  if (selectedDatabases.includes(database)) await measureAll(database, open);

async function measureAll(database: string, open: Open): Promise<void> {
  for (const [shape, run] of Object.entries(LARGE_RUNS)) {
    if (!shape.includes(process.env['SHAPES'] ?? sized('', 'forEach'))) continue;
    const teardown = openTeardown();
    try {
      const quick = await listen({ fetch: () => Response.json({ ok: true }) }, { port: 0 });
      teardown.add(() => quick.stop());
      const config = { tools: [aToolOf(quick, { name: 'quick' })], http: { allow: [new URL(quick.url).host] } };
      print({ database, shape, ...(await measure(await open(config, teardown), run)) });
    } finally {
      await teardown.run();
    }
  }
}

async function measure({ greedy, other, processIds }: RunningHoldfast, { graph, input }: LargeRun): Promise<object> {
  await other.post('/api/graphs', TRIVIAL);
  for (let round = 0; round < IDLE_ROUNDS; round++) await trivialRun(other);
  const idle: number[] = [];
  for (let round = 0; round < IDLE_ROUNDS; round++) idle.push(await trivialRun(other));
  const [idleMemory, idleWritten] = [await memoryOf(processIds), await writtenBy(processIds)];
  const begin = performance.now();
  const { status, body } = await greedy.post('/api/runs', { graph, input });
  if (status !== 201 && status !== 202) return { refused: status, body };
  const path = `/api/runs/${textAt(body, '/id')}`;
  const over = new AbortController();
  const [beside, answers, memory] = [[] as number[], [] as number[], [] as number[]];
  const watching = Promise.all([
    untilOver(over.signal, async () => beside.push(await trivialRun(other))),
    untilOver(over.signal, async () => answers.push(await timeOf(async () => await other.get('/api/graphs')))),
    untilOver(over.signal, async () => memory.push(await memoryOf(processIds))),
  ]);
  const end = await untilResting(greedy, path, begin + WATCHED_MS);
  const tookMs = performance.now() - begin;
  over.abort();
  await watching;
  const written = (await writtenBy(processIds)) - idleWritten;
  return {
    end,
    seconds: round(tookMs / 1_000, 1),
    idleMs: round(median(idle), 0),
    medianMs: round(median(beside), 0),
    worstMs: round(Math.max(...beside), 0),
    ratio: round(median(beside) / median(idle), 1),
    runs: beside.length,
    worstAnswerMs: round(Math.max(...answers), 0),
    memoryGib: round((Math.max(...memory) - idleMemory) / KIB_PER_GIB, 2),
    writtenMb: round(written / 1e6, 0),
  };
}

async function untilResting(user: ApiClient, path: string, deadline: number): Promise<string> {
  for (;;) {
    const { body } = await user.get(path, { prefer: 'wait=2' });
    const { status = '', error } = isRun(body) ? body : {};
    if (!['queued', 'running', ''].includes(status)) return `${status} ${error?.code ?? ''}`;
    if (performance.now() > deadline) return `still ${status}`;
    await sleep(200);
  }
}

function isRun(body: unknown): body is { readonly status?: string; readonly error?: { readonly code: string } | null } {
  return typeof body === 'object' && body !== null;
}

async function untilOver(signal: AbortSignal, look: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await look();
    await sleep(50);
  }
}

/** @returns milliseconds */
async function trivialRun(user: ApiClient): Promise<number> {
  return await timeOf(async () => {
    const { body } = await user.post('/api/runs', { graph: 'trivial', input: {} }, { prefer: 'wait=60' });
    if (textAt(body, '/status') !== 'completed') throw new Error(`A run did not complete: ${JSON.stringify(body)}`);
  });
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
}

async function memoryOf(processIds: readonly number[]): Promise<number> {
  const each = await Promise.all(processIds.map(residentMemory));
  return each.reduce((sum, one) => sum + one, 0);
}

/** The bytes that processes have written to sockets and files. Linux only. */
async function writtenBy(processIds: readonly number[]): Promise<number> {
  const each = await Promise.all(processIds.map(async (pid) => await readFile(`/proc/${pid}/io`, 'utf8')));
  return each.reduce((sum, text) => sum + Number(/^wchar: (\d+)$/m.exec(text)?.[1]), 0);
}
