import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTeardown } from '../../src/dev/teardown.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import type { ChildNode } from '../support/servers/child-node.ts';
import { bundlePoison } from '../support/servers/poison-bundle.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { cpuSecondsOf, descendantsOf, untilExited } from '../support/servers/process-family.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';

/*
 * Two workers and two APIs, deployed as in production. The code of a run would end a process: it exhausts the memory,
 * kills the process, or never returns. Endless code is detected by its processor time, so nothing else may keep the
 * machine busy.
 */

const MINUTE_MS = 60_000;
vi.setConfig({ testTimeout: 3 * MINUTE_MS });

const teardown = openTeardown();
let deployed: Processes;
let user: ApiClient;
beforeAll(async () => {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const environment = {
    HOLDFAST_WORKFLOW_BUNDLE: await bundlePoison(teardown),
    NODE_OPTIONS: '--max-old-space-size=300',
  };
  const databaseUrl = await postgres.createDatabase('holdfast');
  deployed = await startProcesses(
    { databaseUrl, config: {}, environment, workers: [{}, {}], apis: [{}, {}], isAwaited: true },
    teardown,
  );
  user = createApiClient(deployed.baseUrls[0] ?? '', deployed.tokens.user);
}, 5 * MINUTE_MS);
afterAll(async () => await teardown.run(), MINUTE_MS);

async function start(name: string): Promise<string> {
  const nodes = { nap: { type: 'wait', for: '100ms' }, note: { type: 'set', write: { log: 'a' } } } as const;
  const { body } = await user.post('/api/runs', { graph: aDefinition({ name, nodes }), input: {} });
  return textAt(body, '/id');
}

/** The log lines that name a run; the last line of a log may not be written yet. */
function linesOf(processes: readonly ChildNode[], id: string): readonly string[] {
  return processes.flatMap((each) => each.words().split('\n').slice(0, -1)).filter((line) => line.includes(id));
}

const timesQuarantined = (id: string): number =>
  linesOf(deployed.apis, id).filter((line) => line.includes('was put aside')).length;

const poisoned: string[] = [];

test.each([
  ['late-gluts', /failed \d+ times: .*process/],
  ['now-kills', /failed \d+ times: .*process/],
  ['late-loops', /failed \d+ times: .*it took more than 8 s/],
])(
  'a quarantined run (%s) fails within a minute, while two workers stay alive and every other run ends',
  async (name, message) => {
    const [id, others] = await Promise.all([
      start(name),
      Promise.all(Array.from({ length: 10 }, () => start('sound'))),
    ]);
    const run = await user.untilRun(id, hasStatus('failed'), MINUTE_MS);
    expect(run).toMatchObject({
      error: { code: 'INTERNAL', message: expect.stringMatching(message) },
    });
    for (const other of others) await user.untilRun(other, hasStatus('completed'));
    expect(deployed.workers.map(({ ownEnds }) => ownEnds)).toEqual([0, 0]);
    await expect
      .poll(() => linesOf(deployed.workers, id).map((line): unknown => JSON.parse(line)))
      .toContainEqual(expect.objectContaining({ run: id, by: 'code', msg: 'a workflow task failed' }));
    await expect
      .poll(() => deployed.workers.map((worker) => worker.words()).join(''))
      .toContain('"msg":"Failing workflow task"');
    await expect.poll(() => timesQuarantined(id)).toBe(1);
    poisoned.push(id);
  },
);

test('each run whose workflow process keeps failing is quarantined once', () => {
  expect(poisoned.map(timesQuarantined)).toEqual([1, 1, 1]);
});

test('the workflow process of a lost worker exits with it, also when its code never returns', async () => {
  const codeOfAll = async () => (await Promise.all(deployed.workers.map(({ pid }) => descendantsOf(pid)))).flat();
  const idle = await cpuSecondsOf(await codeOfAll());
  await start('now-loops');
  await expect.poll(async () => await cpuSecondsOf(await codeOfAll())).toBeGreaterThan(idle + 1);
  const code = await codeOfAll();
  await Promise.all(deployed.workers.map((worker) => worker.kill()));
  await untilExited(code);
});
