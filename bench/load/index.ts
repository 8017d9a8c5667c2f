import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aDefinition } from '../../test/support/builders/builders.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import type { ApiClient } from '../../test/support/readers/api-client.ts';
import { eventsOf, hasStatus, startRun } from '../../test/support/readers/api-runs.ts';
import { at, textAt } from '../../test/support/readers/json-at.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { startProcesses } from '../../test/support/servers/processes.ts';
import { residentMemory } from '../support/resident-memory.ts';
import { median, print, round } from '../support/timed-run.ts';
import { measureResponses, percentile } from './response-times.ts';
import type { ResponseTimes } from './response-times.ts';
import { openReaders } from './readers.ts';
import { toTables, writeLoad } from './report.ts';
import type { Load } from './report.ts';
import { sized } from '../support/size.ts';

/*
 * The capacity of one API process, with a worker that executes the accepted runs: `npm run bench:load`. The clients are
 * on the same machine, too. Prints one JSON object per line, then the tables, which it writes to docs/performance.md.
 * Takes two minutes.
 */

const AT_A_TIME = 16;
const FOR_MS = sized(15_000, 200);
const READERS = sized(500, 3);
const STREAMED_EVENTS = sized(20, 2);
const WARM_UP_MS = sized(3_000, 0);

const teardown = openTeardown();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void teardown.run().then(() => process.exit(1)));
try {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('bench');
  const { apis, baseUrls, tokens } = await startProcesses({ databaseUrl, config: {}, isAwaited: true }, teardown);
  const [[api], [baseUrl = '']] = [apis, baseUrls];
  const user = createApiClient(baseUrl, tokens.user);
  const asked = await measureRequests(user);
  const readers = await measureReaders(user, { apiPid: api?.pid ?? 0, baseUrl, token: tokens.user });
  const load = { asked, atATime: AT_A_TIME, readers };
  process.stdout.write(`\n${toTables(load)}\n`);
  await writeLoad(load);
} finally {
  await teardown.run();
}

async function measureRequests(user: ApiClient): Promise<readonly ResponseTimes[]> {
  await publish(user, 'small', { a: { type: 'set', write: { log: 'a' } }, b: { type: 'set', write: { log: 'b' } } });
  let last = '';
  const start = async (): Promise<void> => {
    const { status, body } = await user.post('/api/runs', { graph: 'small', input: {} });
    if (status !== 201) throw new Error(`A run was not accepted: ${JSON.stringify(body)}`);
    last = textAt(body, '/id');
  };
  const measure = async (what: string, once: () => Promise<unknown>): Promise<ResponseTimes> => {
    await measureResponses({ what, atATime: AT_A_TIME, forMs: WARM_UP_MS, once });
    const asked = await measureResponses({ what, atATime: AT_A_TIME, forMs: FOR_MS, once });
    print(asked);
    return asked;
  };
  const accepted = await measure('`POST /api/runs`, which the worker runs at once', start);
  // Runs that are accepted but not executed yet would slow down readers.
  await user.untilRun(last, hasStatus('completed'), 120_000);
  const read = async (path: string): Promise<ResponseTimes> =>
    await measure(`\`GET /api/runs/{id}${path}\``, async () => {
      const { status } = await user.get(`/api/runs/${last}${path}`);
      if (status !== 200) throw new Error(`A read was answered with ${status}`);
    });
  return [accepted, await read(''), await read('/state'), await read('/history')];
}

interface ApiProcess {
  readonly apiPid: number;
  readonly baseUrl: string;
  readonly token: string;
}

/** Makes a run wait for events one after the other, and measures when each one reaches all readers. */
async function measureReaders(user: ApiClient, { apiPid, baseUrl, token }: ApiProcess): Promise<Load['readers']> {
  const waits = Array.from({ length: STREAMED_EVENTS }, (_, n) => [`wait${n}`, { type: 'wait', event: 'go' }] as const);
  await publish(user, 'waiting', Object.fromEntries(waits));
  const id = textAt(await startRun(user, 'waiting'), '/id');
  const memoryBefore = await memoryOf(apiPid);
  const begin = performance.now();
  const readers = await openReaders(READERS, `${baseUrl}/api/runs/${id}/events`, token);
  await readers.untilAllHave(1, begin);
  const openedMs = performance.now() - begin;
  const lateMs: number[] = [];
  for (let n = 0; n < STREAMED_EVENTS; n += 1) {
    const known = (await eventsOf(user, id)).length;
    const since = performance.now();
    await user.post(`/api/runs/${id}/signal`, { event: 'go' });
    lateMs.push(...(await readers.untilAllHave(known + 1, since)));
    if (n < STREAMED_EVENTS - 1) await user.untilRun(id, (run) => at(run, '/waitingFor/0/node') === `wait${n + 1}`);
  }
  const memoryWith = await memoryOf(apiPid);
  await readers.leave();
  const measured = {
    count: READERS,
    openedMs: round(openedMs, 0),
    medianMs: round(median(lateMs), 0),
    p99Ms: round(percentile(lateMs, 0.99), 0),
    memoryMib: { before: memoryBefore, with: memoryWith },
  };
  print(measured);
  return measured;
}

async function publish(user: ApiClient, name: string, nodes: GraphDefinition['nodes']): Promise<void> {
  const { status, body } = await user.post('/api/graphs', aDefinition({ name, nodes }));
  if (status !== 201) throw new Error(`${name} is not published: ${JSON.stringify(body)}`);
}

async function memoryOf(pid: number): Promise<number> {
  return round((await residentMemory(pid)) / 1_024, 0);
}
