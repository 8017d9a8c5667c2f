import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aCompletion } from '../../support/builders/provider-replies.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { startHoldingService } from '../../support/doubles/holding-service.ts';
import type { HoldingService } from '../../support/doubles/holding-service.ts';
import { hasStatus } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* While calls are open at tools and at a model, the database has no open transaction of theirs. */

const EFFECTS = ['idempotent', 'keyed', 'unsafe'] as const;

const teardown = openTeardown();
let tools: HoldingService;
let model: HoldingService;
let stack: TestStack;
let database: Client;
beforeAll(async () => {
  tools = await startHoldingService();
  teardown.add(() => tools.stop());
  model = await startHoldingService(aCompletion({ content: 'Hello' }, 'stop'));
  teardown.add(() => model.stop());
  stack = await startTestStack({
    models: { default: { provider: 'openai-compatible', model: 'held', baseUrl: model.url } },
    tools: EFFECTS.map((effect) => aToolOf(tools, { name: effect, effect })),
    http: { allow: [tools.address, model.address] },
  });
  teardown.add(() => stack.stop());
  database = new Client({ connectionString: stack.databaseUrl ?? undefined });
  await database.connect();
  teardown.add(() => database.end());
});
afterAll(async () => await teardown.run());

const calling = aDefinition({
  channels: { chat: { reducer: 'messages', default: [{ role: 'user', content: 'Hi' }] } },
  nodes: {
    ...Object.fromEntries(EFFECTS.map((effect) => [effect, { type: 'tool', tool: effect, args: {} } as const])),
    ask: { type: 'llm', messages: 'chat' },
  },
  edges: [...EFFECTS, 'ask'].map((to) => ({ from: '__start__', to })),
});

/** The transactions of other sessions that were open at a time of the database. */
async function openSince(time: string): Promise<readonly unknown[]> {
  const { rows } = await database.query(
    `select pid, state, query from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start <= $1::timestamptz`,
    [time],
  );
  return rows;
}

async function timeOfDatabase(): Promise<string> {
  const { rows } = await database.query<{ now: string }>('select clock_timestamp()::text as now');
  return rows[0]?.now ?? '';
}

test('no transaction is open while calls of tools and of a model are', async () => {
  const user = stack.as('user');
  const id = textAt((await user.post('/api/runs', { graph: calling })).body, '/id');
  await expect.poll(() => [tools.open, model.open]).toEqual([EFFECTS.length, 1]);
  const time = await timeOfDatabase();
  await expect.poll(async () => await openSince(time)).toEqual([]);
  expect([tools.open, model.open]).toEqual([EFFECTS.length, 1]);

  for (const held of [tools, model]) held.letGo();
  expect(await user.untilRun(id, hasStatus('completed', 'failed'))).toMatchObject({ status: 'completed' });
});
