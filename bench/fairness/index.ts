import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { listenOnPort } from '../../src/process/listen.ts';
import { aToolOf } from '../../test/support/doubles/configured-tool.ts';
import { startHoldingService } from '../../test/support/doubles/holding-service.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import type { ApiClient } from '../../test/support/readers/api-client.ts';
import { textAt } from '../../test/support/readers/json-at.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { startProcesses } from '../../test/support/servers/processes.ts';
import { median, print, round } from '../support/timed-run.ts';
import { sized } from '../support/size.ts';

/*
 * The duration of a trivial run of one tenant while another has a thousand slow calls: `npm run bench:fairness`. Prints
 * one JSON object per line: the time of the run from its request to its response, alone, while the calls begin, and
 * during the calls.
 */

const RUNS = sized(10, 1);
const CALLS = sized(100, 4);
const ROUNDS = sized(60, 2);
/** After this time the server has received all calls, and those without a slot are retried continuously. */
const SETTLES_WITHIN_MS = sized(20_000, 0);

const MANY: GraphDefinition = {
  name: 'many',
  channels: { list: {}, log: { reducer: 'append' } },
  nodes: {
    begin: { type: 'set', write: { log: 'begun' } },
    call: { type: 'tool', tool: 'slow', args: { n: '{{ item }}' } },
  },
  edges: [
    { from: '__start__', to: 'begin' },
    { from: 'begin', forEach: 'state.list', to: 'call' },
  ],
  input: ['list'],
};
const TRIVIAL: GraphDefinition = {
  name: 'trivial',
  channels: { log: { reducer: 'append' } },
  nodes: { call: { type: 'tool', tool: 'quick', args: {} }, end: { type: 'set', write: { log: 'over' } } },
  edges: [
    { from: '__start__', to: 'call' },
    { from: 'call', to: 'end' },
  ],
};

const teardown = openTeardown();
try {
  const slow = await startHoldingService();
  teardown.add(() => slow.stop());
  const quick = await listenOnPort({ fetch: () => Response.json({ ok: true }) }, { port: 0 });
  teardown.add(() => quick.stop());
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const config = {
    tools: [aToolOf(slow, { name: 'slow', timeout: '1h' }), aToolOf(quick, { name: 'quick' })],
    http: { allow: [slow.address, new URL(quick.url).host] },
  };
  const databaseUrl = await postgres.createDatabase('bench');
  const { baseUrls, tokens } = await startProcesses({ databaseUrl, config, isAwaited: true }, teardown);
  const [baseUrl] = baseUrls;
  if (baseUrl === undefined) throw new TypeError('There is an API');
  const [greedy, other] = [createApiClient(baseUrl, tokens.user), createApiClient(baseUrl, tokens.otherTenantUser)];
  await other.post('/api/graphs', TRIVIAL);

  await trivialRuns(other);
  const alone = await trivialRuns(other);
  const input = { list: Array.from({ length: CALLS }, (_, n) => n) };
  for (let run = 0; run < RUNS; run++) await greedy.post('/api/runs', { graph: MANY, input });
  const rising = await trivialRuns(other);
  await new Promise((resolve) => setTimeout(resolve, SETTLES_WITHIN_MS));
  const beside = await trivialRuns(other);
  print({ alone: summary(alone) });
  print({ whileCallsBegin: summary(rising), ratio: ratio(rising, alone) });
  print({ besideCalls: RUNS * CALLS, open: slow.open, ...summary(beside), ratio: ratio(beside, alone) });
  slow.letGo();
} finally {
  await teardown.run();
}

/** @returns the milliseconds of each run */
async function trivialRuns(user: ApiClient): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    const { body } = await user.post('/api/runs', { graph: 'trivial', input: {} }, { prefer: 'wait=60' });
    if (textAt(body, '/status') !== 'completed') throw new Error(`A run did not complete: ${JSON.stringify(body)}`);
    times.push(performance.now() - begin);
  }
  return times;
}

function ratio(times: readonly number[], others: readonly number[]): number {
  return round(median(times) / median(others), 2);
}

function summary(times: readonly number[]): object {
  const sorted = times.toSorted((a, b) => a - b);
  return { medianMs: round(median(times), 1), p95Ms: round(sorted[Math.floor(sorted.length * 0.95)] ?? 0, 1) };
}
