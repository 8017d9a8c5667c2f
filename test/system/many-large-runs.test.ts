import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { chainOf } from '../support/builders/builders.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';
import { repeated } from '../support/servers/site.ts';

/* A worker with less memory than its open runs need together: it evicts some of them, and none fails. */

const MINUTE_MS = 60_000;

const teardown = openTeardown();
let deployed: Processes;
let user: ApiClient;
beforeAll(async () => {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('holdfast');
  const environment = { NODE_OPTIONS: '--max-old-space-size=512' };
  deployed = await startProcesses({ databaseUrl, config: {}, environment, isAwaited: true }, teardown);
  user = createApiClient(deployed.baseUrls[0] ?? '', deployed.tokens.user);
}, 5 * MINUTE_MS);
afterAll(async () => await teardown.run(), MINUTE_MS);

const NAMES = ['a', 'b', 'c'];
/** Its channels take 22 MB. */
const large: GraphDefinition = {
  name: 'large',
  channels: { text: {}, done: {}, ...Object.fromEntries(NAMES.map((name) => [name, {}])) },
  input: ['text'],
  output: ['done'],
  nodes: {
    ...Object.fromEntries(
      NAMES.map((name) => [name, { type: 'set', write: { [name]: '{{ state.text }}'.repeat(8) } } as const]),
    ),
    wait: { type: 'wait', event: 'go' },
    end: { type: 'set', write: { done: '{{ size(state.a) + size(state.c) }}' } },
  },
  edges: chainOf([...NAMES, 'wait', 'end']),
};

async function letEnd(id: string): Promise<void> {
  const once = { 'idempotency-key': `go ${id}` };
  await repeated(() => user.post(`/api/runs/${id}/signal`, { event: 'go' }, once));
}

async function startLarge(): Promise<string> {
  const { body } = await user.post('/api/runs', { graph: large, input: { text: 'x'.repeat(900_000) } });
  return textAt(body, '/id');
}

test(
  '24 runs of 22 MB complete on a worker with a heap of 512 MiB without exhausting its memory',
  async () => {
    const ids: string[] = [];
    while (ids.length < 24) ids.push(await startLarge());
    for (const id of ids) await user.untilRun(id, hasStatus('waiting', 'failed'), 5 * MINUTE_MS);
    for (const id of ids) await letEnd(id);
    for (const id of ids) {
      const run = await user.untilRun(id, hasStatus('completed', 'failed'), 5 * MINUTE_MS);
      expect(run).toMatchObject({ status: 'completed', error: null, output: { done: 14_400_000 } });
    }
    expect(deployed.workers.map(({ ownEnds }) => ownEnds)).toEqual([0]);
    const words = deployed.workers.map((worker) => worker.words()).join('');
    expect(words).toContain('no longer in memory');
    expect(words).not.toContain('memory is used up');
  },
  15 * MINUTE_MS,
);
