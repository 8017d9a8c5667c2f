import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { say as sayTo } from '../../examples/client/travel-agent.ts';
import { createClient } from '../../src/client/index.ts';
import type { Client } from '../../src/client/index.ts';
import { askFor, requestsOf, say, toolResultsSentTo } from '../support/builders/chat-model.ts';
import { startLoopbackServer } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import { readFile } from '../support/readers/documentation.ts';
import { listAt } from '../support/readers/json-at.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

const variables = { ...process.env };
let model: LoopbackServer;
let stack: TestStack;
let user: Client;
let approver: Client;
const tokens = () => ({ baseUrl: stack.baseUrl, ...stack.tokens });
beforeAll(async () => {
  model = await startLoopbackServer();
  process.env['MODEL_URL'] = `${model.url}/v1`;
  stack = await startTestStack('examples/client/holdfast.config.ts');
  user = createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user });
  approver = createClient({ baseUrl: stack.baseUrl, token: async () => stack.tokens.approver });
});
beforeEach(() => model.forget());
afterAll(async () => {
  process.env = variables;
  await stack.stop();
  await model.stop();
});

test('the client example runs an agent with two tools, edited arguments and a memory, in forty lines', async () => {
  model.answers(
    askFor([['weather', { city: 'Rome' }]]),
    askFor([['book_trip', { city: 'Rome', euros: 900 }]]),
    say('Booked for 100 euros.'),
  );
  expect(await sayTo('Book a trip to Rome', tokens())).toBe('Booked for 100 euros.');
  expect(toolResultsSentTo(model)[1]).toMatch(/^\{"booked":"Rome","euros":100\}/);
  model.answers(say('To Rome.'));
  expect(await sayTo('Where do I go?', tokens())).toBe('To Rome.');
  expect(listAt(requestsOf(model).at(-1) ?? null, '/messages').length).toBeGreaterThan(5);
  const lines = ['holdfast.config.ts', 'travel-agent.ts'].flatMap((file) =>
    readFile(`examples/client/${file}`).trimEnd().split('\n'),
  );
  expect(lines.length).toBeLessThanOrEqual(40);
});

test('the client follows a run to its end and edits its state under its ETag', async () => {
  model.answers(say('Hello.'));
  const run = await user.runs.start({ graph: 'travel-agent', input: { chat: { role: 'user', content: 'Hi' } } });
  const events: string[] = [];
  for await (const { seq, type } of user.runs.follow(run.id)) events.push(`${seq} ${type}`);
  expect([events[0], events.at(-1)]).toEqual(['1 run.started', `${events.length} run.completed`]);
  const { etag } = await user.runs.state(run.id);
  const edited = await user.runs.edit(run.id, { etag, values: { chat: { role: 'user', content: 'More' } } });
  expect(edited.etag).not.toBe(etag);
  await expect(user.runs.edit(run.id, { etag, values: {} })).rejects.toMatchObject({ code: 'STALE', status: 412 });
});

test('the client throws an error with a code for a decision on changed content or by an unauthorized person', async () => {
  model.answers(askFor([['book_trip', { city: 'Rome', euros: 900 }]]), say('Not booked.'));
  const input = { chat: { role: 'user', content: 'Book Rome' } };
  const run = await user.runs.start({ graph: 'travel-agent', input }, { waitMs: 30_000 });
  const [approval] = (await approver.approvals.list({ runId: run.id }).page()).items;
  const { id = '' } = approval ?? {};
  const decision = { decision: 'reject', reason: 'too much' } as const;
  await expect(user.approvals.decide({ id }, decision)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(approver.approvals.decide({ id, digest: 'old' }, decision)).rejects.toMatchObject({
    code: 'APPROVAL_CHANGED',
  });
  expect(await approver.approvals.decide({ ...approval, id }, decision)).toMatchObject({ status: 'rejected' });
  expect(await user.runs.wait(run.id)).toMatchObject({ status: 'completed' });
});
