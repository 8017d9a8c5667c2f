import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeOfType } from '../../src/graph/definition/definition.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { hangUp, json, silence } from '../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../support/doubles/use-loopback-server.ts';
import { eventsOf } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import { createRunControls } from '../support/readers/run-controls.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

/* A bank over HTTP, which charges as soon as it receives a request, even if its response is lost. */
const bank = await useLoopbackServer();

let stack: TestStack;
beforeAll(async () => {
  const parameters = { type: 'object' };
  const post = { description: 'At the bank', parameters, method: 'POST', effect: 'keyed' } as const;
  stack = await startTestStack({
    http: { allow: [bank.address] },
    defaults: { heartbeatTimeout: '10s' },
    tools: [
      { ...post, name: 'charge', url: `${bank.url}/charges`, timeout: '30s' },
      { ...post, name: 'refund', url: `${bank.url}/refunds` },
    ],
  });
});
afterAll(async () => await stack.stop());

const { until, control } = createRunControls(() => stack.as('user'));

const pay = { type: 'tool', tool: 'charge', args: { euros: 5 } } as const;
const cause = { code: 'UNKNOWN_OUTCOME', message: 'Not compensated: pay: the call of charge may have been made' };

async function start(node: NodeOfType<'tool'>): Promise<string> {
  const stop = { type: 'tool', tool: 'refund', args: { receipt: 'none' }, retry: { maxAttempts: 1 } } as const;
  const graph = aDefinition({ nodes: { pay: node, stop } });
  return textAt((await stack.as('user').post('/api/runs', { graph })).body, '/id');
}

function keysOfCharges(): ReadonlySet<unknown> {
  const charges = bank.requests.filter(({ target }) => target === '/charges');
  return new Set(charges.map(({ headers }) => headers['idempotency-key']));
}

test('a failed run lists a tool call without an answer as possibly executed; a retry finds its result, and it is compensated', async () => {
  bank.answers(hangUp, hangUp);
  const id = await start({
    ...pay,
    retry: { maxAttempts: 2, initialInterval: '10ms' },
    compensate: { tool: 'refund', args: { receipt: '{{ result.receipt }}' } },
  });
  expect(await until(id, 'failed')).toMatchObject({ error: { code: 'TOOL_FAILED', node: 'pay', attempts: 2, cause } });
  bank.answers(json({ receipt: 'r1' }), json({ error: 'closed' }, 422), json({ refunded: 'r1' }));
  await control(id, 'retry');
  const failed = await until(id, 'failed');
  expect(failed).toMatchObject({ error: { code: 'TOOL_FAILED', node: 'stop' } });
  expect(failed).not.toMatchObject({ error: { cause } });
  expect(await eventsOf(stack.as('user'), id, 'node.compensated')).toMatchObject([{ node: 'pay', tool: 'refund' }]);
  expect(bank.requests.map(({ body }) => body).at(-1)).toBe(JSON.stringify({ receipt: 'r1' }));
  expect(keysOfCharges().size).toBe(1);
});

test('a canceled run and its event list the tool call that was still open as possibly executed', async () => {
  const { asked, left, answer } = silence();
  bank.answers(answer);
  const id = await start(pay);
  await asked;
  await control(id, 'cancel');
  expect(await until(id, 'canceled')).toMatchObject({ error: { code: 'CANCELED', cause } });
  await left;
  const error = { code: 'CANCELED', message: 'The call was canceled, and may have been made' };
  expect(await eventsOf(stack.as('user'), id, 'tool.called')).toMatchObject([{ tool: 'charge', error }]);
});

test('a run canceled during its next call does not list an answered call as possibly executed', async () => {
  bank.answers(json({ receipt: 'r2' }), silence().answer);
  const id = await start(pay);
  await expect.poll(() => bank.requests.length).toBe(2);
  await control(id, 'cancel');
  const stopped = 'Not compensated: stop: the call of refund may have been made';
  expect(await until(id, 'canceled')).toMatchObject({ error: { cause: { message: stopped } } });
});
