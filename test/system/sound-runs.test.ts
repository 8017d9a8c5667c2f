import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTeardown } from '../../src/dev/teardown.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createRandom } from '../support/builders/random.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import type { PostgresServer } from '../support/servers/postgres-server.ts';
import { descendantsOf } from '../support/servers/process-family.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';

/*
 * The workflow process is killed during a healthy run, as the kernel does under memory pressure, or a node drain does;
 * in addition workers are lost and the database is down. None of this is counted against the run, which continues.
 */

const MINUTE_MS = 60_000;
vi.setConfig({ testTimeout: 6 * MINUTE_MS });

const teardown = openTeardown();
let postgres: PostgresServer;
let deployed: Processes;
let user: ApiClient;
let temporal: Client;
beforeAll(async () => {
  postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('holdfast');
  deployed = await startProcesses({ databaseUrl, config: {}, isAwaited: true }, teardown);
  user = createApiClient(deployed.baseUrls[0] ?? '', deployed.tokens.user);
  const connection = await Connection.connect({ address: deployed.temporal.address });
  teardown.add(() => connection.close());
  temporal = new Client({ connection });
}, 5 * MINUTE_MS);
afterAll(async () => await teardown.run(), MINUTE_MS);

const worker = () => deployed.workers[0] ?? expect.fail('There is no worker');
const graph = aDefinition({ nodes: { wait: { type: 'wait', event: 'go', write: { log: '{{ result }}' } } } });
const handleOf = (id: string) => temporal.workflow.getHandle(toWorkflowId({ tenantId: 'demo', id }));

/** Starts a run and waits until it waits for its event. */
async function startWaiting(): Promise<string> {
  const id = textAt((await user.post('/api/runs', { graph, input: {} })).body, '/id');
  await user.untilRun(id, hasStatus('waiting'));
  return id;
}

/** The current workflow processes of a worker. */
async function codeOfWorker(): Promise<readonly number[]> {
  const family = await descendantsOf(worker().pid);
  const commands = await Promise.all(
    family.map(async (pid) => await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return family.filter((_, at) => commands[at]?.includes('workflow-process'));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}

/** Suspends a process that did not exist before. */
async function stopNext(known: ReadonlySet<number>): Promise<number> {
  for (;;) {
    const next = (await codeOfWorker()).find((pid) => !known.has(pid));
    if (next !== undefined) {
      send(next, 'SIGSTOP');
      return next;
    }
    await sleep(50);
  }
}

/** Waits until a given attempt of the run's workflow task, or a later one, has reached a worker. */
async function untilAttempt(id: string, attempt: number): Promise<void> {
  await expect
    .poll(async () => (await handleOf(id).describe()).raw.pendingWorkflowTask?.attempt ?? 0, { timeout: MINUTE_MS })
    .toBeGreaterThanOrEqual(attempt);
}

test('a run whose workflow process is killed and whose worker is lost continues when a worker starts', async () => {
  const id = await startWaiting();
  const known = new Set(await codeOfWorker());
  for (const pid of known) send(pid, 'SIGSTOP');
  await handleOf(id).signal('event', { event: 'go', payload: 'heard' });
  await expect
    .poll(async () => Number((await handleOf(id).describe()).raw.pendingWorkflowTask?.startedTime?.seconds ?? 0), {
      timeout: MINUTE_MS,
    })
    .toBeGreaterThan(0);
  for (const pid of known) send(pid, 'SIGKILL');
  const stopped = await stopNext(known);
  await untilAttempt(id, 2);
  await worker().kill();
  send(stopped, 'SIGKILL');
  // The second attempt times out; by then the sweeper has checked the run several times.
  await untilAttempt(id, 3);
  await sleep(8_000);
  expect(await user.get(`/api/runs/${id}`)).toMatchObject({ body: { status: 'waiting' } });
  await worker().start();
  expect(await user.untilRun(id, hasStatus('completed', 'failed'), 2 * MINUTE_MS)).toMatchObject({
    status: 'completed',
    output: { log: ['heard'] },
  });
});

test('a run whose processes are killed for more than a minute while the database is down continues afterwards', async () => {
  const id = await startWaiting();
  const random = createRandom(7);
  const known = new Set<number>();
  for (const pid of await codeOfWorker()) {
    known.add(pid);
    send(pid, 'SIGSTOP');
  }
  const kill = async (victims: Iterable<number>) => {
    await sleep(500 + random.next() * 2_500);
    for (const pid of victims) send(pid, 'SIGKILL');
  };
  await handleOf(id).signal('event', { event: 'go', payload: 'heard' });
  await kill(known);
  const until = Date.now() + 75_000;
  let kills = 1;
  for (; Date.now() < until; kills += 1) {
    const next = (await codeOfWorker()).find((pid) => !known.has(pid));
    if (kills === 4) await postgres.victim.suspend();
    if (kills === 6) await postgres.victim.resume();
    if (next === undefined) {
      await sleep(100);
      continue;
    }
    known.add(next);
    // Some are killed during their start, others during their work.
    await sleep(random.next() * 4_000);
    send(next, 'SIGSTOP');
    await kill([next]);
  }
  await postgres.victim.resume();
  expect(kills).toBeGreaterThan(6);
  expect(await user.untilRun(id, hasStatus('completed', 'failed'), 3 * MINUTE_MS)).toMatchObject({
    status: 'completed',
    output: { log: ['heard'] },
  });
});
