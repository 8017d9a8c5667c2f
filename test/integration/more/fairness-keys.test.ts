import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import type { Tokens } from '../../../src/dev/issuer.ts';
import { toWorkflowId } from '../../../src/workflows/contract.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { startRun } from '../../support/readers/api-runs.ts';
import { historiesOf } from '../../support/readers/executions.ts';
import type { HistoryEvent } from '../../support/readers/executions.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

const teardown = openTeardown();
let stack: TestStack;
let client: Client;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('fairness-keys.config.ts', import.meta.url)));
  teardown.add(() => stack.stop());
  const connection = await Connection.connect({ address: stack.temporalAddress });
  teardown.add(() => connection.close());
  client = new Client({ connection, namespace: stack.namespace });
});
afterAll(async () => await teardown.run());

const call = { type: 'tool', tool: 'dispatched', args: {}, write: 'log' } as const;
const graph = aDefinition({
  nodes: { a: call, each: call, b: call },
  edges: [
    { from: '__start__', to: 'a' },
    { from: 'a', forEach: '[1, 2, 3, 4, 5, 6]', to: 'each' },
    { from: 'each', to: 'b' },
  ],
});

async function eventsOf(runId: string, tenantId: string): Promise<readonly (readonly HistoryEvent[])[]> {
  const histories = await historiesOf(client.workflow, toWorkflowId({ tenantId, id: runId }));
  return histories.map(({ events }) => events ?? []);
}

test.each<[keyof Tokens, string]>([
  ['user', 'demo'],
  ['otherTenantUser', 'other'],
])(
  'runs of the caller %s and their calls have the tenant as fairness key, also when they continue as new',
  async (caller, tenant) => {
    const run = await startRun(stack.as(caller), graph);
    expect(run).toMatchObject({ status: 'completed' });
    const executions = await eventsOf(textAt(run, '/id'), tenant);
    expect(executions.length).toBeGreaterThan(1);
    const keys = executions.map(([first]) => first?.workflowExecutionStartedEventAttributes?.priority?.fairnessKey);
    expect(new Set(keys)).toEqual(new Set([tenant]));
    // A call that its worker gets directly, without the queue, has no key.
    const keysOfCalls = listAt(run, '/output/log').map((told) => at(told, '/fairnessKey') ?? null);
    expect(new Set(keysOfCalls)).toEqual(new Set([null, tenant]));
  },
);

test('calls and journal writes use the task queue of runs, and journal writes have priority', async () => {
  const run = await startRun(stack.as('user'), graph);
  const events = (await eventsOf(textAt(run, '/id'), 'demo')).flat();
  expect(Object.fromEntries(events.flatMap(placeOf))).toEqual({
    callTool: ['holdfast', 0],
    record: ['holdfast', 1],
  });
});

/** The type of an activity, its task queue, and its priority there, where 0 is the default. */
function placeOf({ activityTaskScheduledEventAttributes: scheduled }: HistoryEvent): [string, unknown[]][] {
  const { activityType, taskQueue, priority } = scheduled ?? {};
  return scheduled ? [[activityType?.name ?? '', [taskQueue?.name, priority?.priorityKey ?? 0]]] : [];
}
