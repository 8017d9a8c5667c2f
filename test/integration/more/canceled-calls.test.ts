import type { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeOfType } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { eventsOf } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { createRunControls } from '../../support/readers/run-controls.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';
import { CANCELED, GO_ON } from './canceled-calls.config.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('./canceled-calls.config.ts', import.meta.url)));
});
afterAll(async () => await stack.stop());

/** The tools run in the same process. */
const thisProcess: EventEmitter = process;

const { runOf, until, control } = createRunControls(() => stack.as('user'));

test('a function call that the deadline of its subgraph cancels can be retried by a person, and the run replays', async () => {
  const child = aDefinition({
    name: 'child',
    nodes: { hang: { type: 'function', function: 'hang', write: { log: '{{ result }}' } } },
  });
  const graph = aDefinition({
    nodes: {
      sub: { type: 'subgraph', graph: child, deadline: '5s', onError: 'intervene', write: { log: '{{ result.log }}' } },
    },
  });
  const id = textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
  expect(await until(id, 'waiting')).toMatchObject({ waitingFor: [{ kind: 'intervention', node: 'sub' }] });
  thisProcess.emit(GO_ON);
  await control(id, 'retry');
  expect(await until(id, 'completed')).toMatchObject({ output: { log: ['done'] } });
  const { body } = await stack.as('user').post(`/api/runs/${id}/replay`, {});
  expect(at(body, '/divergence')).toBeNull();
});

/** Starts a run of one node. @returns its id, once the call has arrived */
async function startCalling(node: NodeOfType<'tool'>): Promise<string> {
  const graph = aDefinition({ nodes: { pay: node } });
  const id = textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
  await expect.poll(async () => await eventsOf(stack.as('user'), id, 'tool.requested')).toHaveLength(1);
  return id;
}

const compensate = { tool: 'payBack', args: { receipt: '{{ result.receipt }}' } };

test('a compensable call finishes although its run is canceled meanwhile, and is then compensated', async () => {
  const id = await startCalling({ type: 'tool', tool: 'paySlowly', compensate });
  await control(id, 'cancel', { reason: 'enough' });
  await until(id, 'canceled');
  const undone = { node: 'pay', tool: 'payBack', result: { receipt: 'r1' } };
  expect(await eventsOf(stack.as('user'), id, 'node.compensated')).toMatchObject([undone]);
});

const unknown = { code: 'UNKNOWN_OUTCOME', message: 'Not compensated: pay: the outcome of the call is unknown' };

test.each([
  ['has an unknown outcome if an attempt was possibly executed', 'payUnluckily', { code: 'CANCELED', cause: unknown }],
  ['counts as not made if its attempt is known to have failed', 'payLater', null],
])('a call that waits for another attempt when its run is canceled %s', async (_, tool, error) => {
  const id = await startCalling({ type: 'tool', tool, compensate });
  await expect.poll(async () => listAt(await runOf(id), '/retrying')).toHaveLength(1);
  await control(id, 'cancel');
  expect(await until(id, 'canceled')).toMatchObject({ error });
});

test('a call that fails before it receives the cancellation of its run has an unknown outcome', async () => {
  const id = await startCalling({ type: 'tool', tool: 'payInHaste', compensate });
  await control(id, 'cancel');
  thisProcess.emit(CANCELED);
  expect(await until(id, 'canceled')).toMatchObject({ error: { code: 'CANCELED', cause: unknown } });
});
