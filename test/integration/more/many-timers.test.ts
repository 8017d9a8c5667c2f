import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasStatus, readAll } from '../../support/readers/api-runs.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';
import { MAX_TIMERS } from '../../../src/workflows/timers.ts';

/* A run with more timers than the number of events after which an execution continues as new. */

const CONTINUE_AFTER = 60;
const QUESTIONS = 150;
const DECISIONS = 6;

let stack: TestStack;
let connection: Connection;
beforeAll(async () => {
  stack = await startTestStack({ defaults: { continueAfter: CONTINUE_AFTER } });
  connection = await Connection.connect({ address: stack.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await stack.stop();
});

const executions = async (id: string) =>
  await executionsOf(new Client({ connection, namespace: stack.namespace }).workflow, id);

const graph = aDefinition({
  channels: { items: {}, log: { reducer: 'append' } },
  nodes: {
    ask: {
      type: 'approval',
      title: 'May I {{ item }}?',
      policy: { reminders: ['1h'], escalate: [{ after: '2h', roles: ['admin'] }] },
      write: { log: '{{ result.decision }}' },
    },
  },
  edges: [
    { from: '__start__', forEach: 'state.items', to: 'ask' },
    { from: 'ask', to: '__end__' },
  ],
});

test('a run with thousands of timers handles decisions one after the other without a new execution for each', async () => {
  const items = Array.from({ length: QUESTIONS }, (_, n) => n);
  const started = await stack.as('user').post('/api/runs', { graph, input: { items } });
  expect(started).toMatchObject({ status: 201 });
  const id = textAt(started.body, '/id');
  await stack.as('user').untilRun(id, hasStatus('waiting'));
  const before = (await executions(id)).length;
  for (let n = 1; n <= DECISIONS; n += 1)
    expect(
      await stack.as('approver').post(`/api/approvals/${id}.a${n}/decision`, { decision: 'approve' }),
    ).toMatchObject({ status: 200 });
  const after = await executions(id);
  expect(after.length - before).toBeLessThanOrEqual(DECISIONS / 2);
  for (const { events } of after)
    expect(events?.filter((event) => event.timerStartedEventAttributes).length).toBeLessThanOrEqual(
      MAX_TIMERS + DECISIONS,
    );
  const open = await readAll(stack.as('approver'), `/api/approvals?runId=${id}&status=pending`);
  expect(open).toHaveLength(QUESTIONS - DECISIONS);
});
