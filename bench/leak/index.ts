import { listen } from '../../src/process/listen.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { GraphDefinition } from '../../src/graph/definition.ts';
import { createApiClient } from '../../test/support/api-client.ts';
import { textAt } from '../../test/support/json-at.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { startProcesses } from '../../test/support/processes.ts';
import { inTurns } from '../support/in-turns.ts';
import { residentMemory } from '../support/resident-memory.ts';
import { print, round } from '../support/timed-run.ts';

/*
 * Whether memory grows with the number of runs: `npm run bench:leak [-- 20000]`. Runs of two steps, one of which calls a
 * tool, are started by HTTP and waited for. Prints one JSON object a line: the memory of the worker and of the API,
 * in MiB, after each twentieth of the runs.
 */

const RUNS = Number(process.argv[2] ?? 20_000);
const LOOKS = 20;
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

const teardown = openTeardown();
try {
  const service = await listen({ fetch: () => Response.json({ text: 'x'.repeat(1_000) }) }, { port: 0 });
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
  for (let look = 1; look <= LOOKS; look++) {
    await inTurns(RUNS / LOOKS, AT_A_TIME, async (number) => {
      const { body } = await user.post('/api/runs', { graph: 'calling', input: { number } }, { prefer: 'wait=30' });
      if (textAt(body, '/status') !== 'completed') throw new Error(`A run is ${textAt(body, '/status')}`);
    });
    const [ofWorker, ofApi] = await Promise.all([residentMemory(worker.pid), residentMemory(api.pid)]);
    print({ runs: (RUNS / LOOKS) * look, mib: { worker: round(ofWorker / 1_024, 0), api: round(ofApi / 1_024, 0) } });
  }
} finally {
  await teardown.run();
}
