import { expect, test } from 'vitest';
import { aJob } from '../support/readers/api-states.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { textAt } from '../support/readers/json-at.ts';
import { startRestartableStack } from '../support/servers/restartable-stack.ts';
import { repeated } from '../support/servers/site.ts';
import { useWorkingStack } from '../support/servers/working-stack.ts';

const { stack, service, user, get, until } = useWorkingStack(startRestartableStack);

/** Requests an approval, then executes the input `say` as a job and logs it. */
const asking = aDefinition({
  channels: { log: { reducer: 'append' }, say: {} },
  output: ['log'],
  nodes: { ask: { type: 'approval', title: 'Go on?' }, only: aJob('{{ state.say }}') },
  edges: [
    { from: '__start__', to: 'ask' },
    { from: 'ask', to: 'only' },
  ],
});
const { ask: _, ...nodes } = asking.nodes;
const saying = { ...asking, nodes, edges: [{ from: '__start__', to: 'only' }] };

async function start(onBusy: string, say: string, graph: object = saying): Promise<string> {
  const { body } = await user().post('/api/runs', { graph, input: { say }, threadId: 'restart', onBusy });
  return textAt(body, '/id');
}

test('the queue of a thread survives a restart of all processes', async () => {
  const first = await start('reject', 'first', asking);
  await until(first, 'waiting');
  const second = await start('enqueue', 'second');
  const third = await start('enqueue', 'third');
  await stack().restart();
  expect(await get('/api/threads/restart')).toMatchObject({ activeRunId: first, queued: [second, third] });
  const once = { 'idempotency-key': `approve ${first}` };
  await repeated(() => stack().as('approver').post(`/api/runs/${first}/approve`, {}, once));
  expect(await user().untilRun(third, hasStatus('completed'), 60_000)).toMatchObject({
    output: { log: ['first', 'second', 'third'] },
  });
  expect(service().done).toEqual(['first', 'second', 'third']);
}, 240_000);
