import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { Client } from '../../../src/client/index.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { SIGN } from '../../support/builders/signed-messages.ts';
import type { SignedMessage } from '../../support/builders/signed-messages.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

const SECRET = 'a secret of both';

let stack: TestStack;
let user: Client;
beforeAll(async () => {
  stack = await startTestStack({}, { HOOK_KEY: SECRET });
  user = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user });
});
afterAll(async () => {
  await stack.stop();
});

const post = async (path: string, { headers, body }: SignedMessage) =>
  await stack.stranger.send(path, { method: 'POST', headers, body });

test('one webhook message starts a run, another sends the event that the run waits for, and each counts once', async () => {
  const nodes = { wait: { type: 'wait', event: 'paid', write: 'got' } } as const;
  await stack.as('user').post('/api/graphs', aDefinition({ name: 'order', channels: { order: {}, got: {} }, nodes }));
  const secret = { secret: 'HOOK_KEY' };
  const { path: starting, by } = await user.hooks.put('orders', {
    scheme: 'github',
    secret,
    start: { graph: 'order', input: { order: '{{ body.number }}' } },
  });
  const { path: paying } = await user.hooks.put('payments', {
    scheme: 'stripe',
    secret,
    event: { run: '{{ body.data.run }}', name: 'paid' },
  });

  const started = await post(starting, SIGN.github('{"number":7}', { secret: SECRET, id: 'd-1' }));
  expect(started.status).toBe(202);
  const runId = textAt(started.body, '/runId');
  const waiting = await stack.as('user').untilRun(runId, hasStatus('waiting'));
  expect(waiting).toMatchObject({ input: { order: 7 }, createdBy: by });

  const paid = { id: 'evt_1', data: { run: runId } };
  const pay = async () => await post(paying, SIGN.stripe(JSON.stringify(paid), { secret: SECRET, id: '' }));
  expect(await pay()).toMatchObject({ status: 202, body: { ok: true } });
  expect(await stack.as('user').untilRun(runId, hasStatus('completed'))).toMatchObject({ output: { got: paid } });
  expect(await pay()).toMatchObject({ status: 200, body: { ok: true } });
  expect(await eventsOf(stack.as('user'), runId, 'signal.received')).toHaveLength(1);
  expect(await eventsOf(stack.as('user'), runId, 'signal.ignored')).toHaveLength(0);

  const late = await post(paying, SIGN.stripe(JSON.stringify({ ...paid, id: 'evt_2' }), { secret: SECRET, id: '' }));
  expect(late.status).toBe(409);
});
