import { listenOnPort } from '../../src/process/listen.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { createApiClient } from '../../test/support/readers/api-client.ts';
import { textAt } from '../../test/support/readers/json-at.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { startProcesses } from '../../test/support/servers/processes.ts';
import { inTurns } from '../support/in-turns.ts';
import { residentMemory } from '../support/resident-memory.ts';
import { print, round } from '../support/timed-run.ts';
import { sized } from '../support/size.ts';

/*
 * Measures whether memory grows with the number of runs: `npm run bench:leak [-- 20000]`. Runs of two steps, one of
 * which calls a tool, are started by HTTP and awaited. Prints one JSON object per line: the memory of the worker and of
 * the API, in MiB, after each twentieth of the runs; at the end, the growth of each per 1,000 runs. The exit code is 1
 * when the resident memory of either has grown by more than MOST_GROWTH over the second half of the runs. With a few
 * thousand runs the result means little, because the memory still settles and fluctuates.
 */

const RUNS = Number(process.argv[2] ?? sized(20_000, 16));
/** In MiB per 1,000 runs: the maximum slope of a line through the samples of the second half. */
const MOST_GROWTH = sized(20, Number.POSITIVE_INFINITY);
const SAMPLES = sized(20, 4);
const AT_A_TIME = 16;

const CALLING: GraphDefinition = {
  name: 'calling',
  channels: { number: {}, answer: {} },
  nodes: {
    call: { type: 'tool', tool: 'ping', args: { number: '{{ state.number }}' }, write: 'answer' },
    note: { type: 'set', write: { answer: '{{ state.answer }}' } },
  },
  edges: [
    { from: '__start__', to: 'call' },
    { from: 'call', to: 'note' },
  ],
  input: ['number'],
};

interface MemorySample {
  readonly runs: number;
  readonly mib: { readonly worker: number; readonly api: number };
}

/** The slope of the regression line of some points. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = { x: mean(points.map(([x]) => x)), y: mean(points.map(([, y]) => y)) };
  const rise = mean(points.map(([x, y]) => (x - middle.x) * (y - middle.y)));
  return rise / mean(points.map(([x]) => (x - middle.x) ** 2));
}

const teardown = openTeardown();
try {
  const service = await listenOnPort({ fetch: () => Response.json({ text: 'x'.repeat(1_000) }) }, { port: 0 });
  teardown.add(() => service.stop());
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const ping = { name: 'ping', description: 'Answers', parameters: {}, method: 'POST', effect: 'keyed' } as const;
  const config = { tools: [{ ...ping, url: service.url }], http: { allow: [new URL(service.url).host] } };
  const { workers, apis, baseUrls, tokens } = await startProcesses(
    { databaseUrl: await postgres.createDatabase('bench'), config, isAwaited: true },
    teardown,
  );
  const [worker, api, baseUrl] = [workers[0], apis[0], baseUrls[0]];
  if (!worker || !api || baseUrl === undefined) throw new TypeError('There is a worker and an API');
  const user = createApiClient(baseUrl, tokens.user);
  await user.post('/api/graphs', CALLING);
  const samples: MemorySample[] = [];
  for (let sample = 1; sample <= SAMPLES; sample++) {
    await inTurns(RUNS / SAMPLES, AT_A_TIME, async (number) => {
      const { body } = await user.post('/api/runs', { graph: 'calling', input: { number } }, { prefer: 'wait=30' });
      if (textAt(body, '/status') !== 'completed') throw new Error(`A run is ${textAt(body, '/status')}`);
    });
    const [ofWorker, ofApi] = await Promise.all([residentMemory(worker.pid), residentMemory(api.pid)]);
    const mib = { worker: round(ofWorker / 1_024, 0), api: round(ofApi / 1_024, 0) };
    samples.push({ runs: (RUNS / SAMPLES) * sample, mib });
    print({ runs: (RUNS / SAMPLES) * sample, mib });
  }
  const half = samples.slice(SAMPLES / 2);
  const growthOf = (name: 'worker' | 'api'): number =>
    round(slope(half.map(({ runs, mib }) => [runs / 1_000, mib[name]])), 2);
  const growth = { worker: growthOf('worker'), api: growthOf('api') };
  print({ mibPer1000Runs: growth, most: MOST_GROWTH });
  if (Math.max(growth.worker, growth.api) > MOST_GROWTH) process.exitCode = 1;
} finally {
  await teardown.run();
}
