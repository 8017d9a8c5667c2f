import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { askFor, say, toolResultsSentTo } from '../support/builders/chat-model.ts';
import { startJobService } from '../support/doubles/job-service.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { startLoopbackServer } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import { aGraphOf, eventsOf, hasStatus, readAll, startRun } from '../support/readers/api-runs.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let model: LoopbackServer;
let service: JobService;
let stack: TestStack;
beforeAll(async () => {
  [model, service] = [await startLoopbackServer(), await startJobService()];
  const config = fileURLToPath(new URL('../support/servers/refunds.config.ts', import.meta.url));
  vi.stubEnv('AGENT_MODEL_URL', `${model.url}/v1`);
  vi.stubEnv('AGENT_TOOLS_URL', service.url);
  stack = await startTestStack(config);
});
afterAll(async () => {
  await stack.stop();
  await service.stop();
  await model.stop();
});
beforeEach(() => {
  model.forget();
  service.forget();
});

const user = () => stack.as('user');

/** An agent that refunds; the tool returns its arguments, so the model receives them. */
const agent = (tool: string): GraphDefinition =>
  aGraphOf({ type: 'agent', model: 'scripted', prompt: 'Pay it back.', tools: [tool] });

async function askedAbout(run: Json): Promise<{ readonly id: string; readonly args: Json | undefined }> {
  expect(at(run, '/status')).toBe('waiting');
  const approvals = await readAll(stack.as('approver'), `/api/approvals?status=pending&runId=${textAt(run, '/id')}`);
  expect(approvals).toHaveLength(1);
  return { id: textAt(approvals[0] ?? null, '/id'), args: at(approvals[0] ?? null, '/args') };
}

async function approve(run: Json, body: object = {}): Promise<void> {
  const { id } = await askedAbout(run);
  const { status } = await stack.as('approver').post(`/api/approvals/${id}/decision`, { decision: 'approve', ...body });
  expect(status).toBe(200);
}

const endOf = async (run: Json): Promise<Json> => await user().untilRun(textAt(run, '/id'), hasStatus('completed'));

const requested = async (run: Json): Promise<readonly (Json | undefined)[]> =>
  (await eventsOf(user(), textAt(run, '/id'), 'tool.requested')).map((event) => at(event, '/args'));

describe('an approval of a call with fixed arguments', () => {
  const fixing: GraphDefinition = {
    ...aGraphOf({
      type: 'agent',
      model: '{{ "scripted" }}',
      models: ['scripted'],
      prompt: 'Pay it back.',
      tools: [{ tool: 'refund', as: 'pay_back', args: { order: '{{ "A-" + string(run.visit) }}' } }],
    }),
  };

  test('an approval shows fixed arguments, a decision can not change them, and the model never receives them', async () => {
    model.answers(askFor([['pay_back', { euros: 400 }]]), say('Paid back.'));
    const run = await startRun(user(), fixing);
    const { id, args } = await askedAbout(run);
    expect(args).toEqual({ order: 'A-1', euros: 400 });
    const approver = stack.as('approver');
    expect((await approver.get(`/api/approvals/${id}`)).body).toMatchObject({
      tool: 'refund',
      fixedArgs: ['order'],
      details: { tool: 'refund', as: 'pay_back', fixed: ['order'] },
    });
    const changed = { decision: 'approve', args: { order: 'A-2', euros: 400 } };
    const refused = await approver.post(`/api/approvals/${id}/decision`, changed);
    expect([refused.status, at(refused.body, '/code')]).toEqual([422, 'INVALID_ARGS']);
    await approve(run, { args: { order: 'A-1', euros: 300 } });
    await endOf(run);
    expect(await requested(run)).toEqual([{ order: 'A-1', euros: 300 }]);
    expect(toolResultsSentTo(model)).toEqual([expect.stringContaining('changed the arguments to {"euros":300}')]);
  });
});

describe('an approval by the arguments', () => {
  test('an approval shows the defaults that the tool applies, and the call uses exactly the approved arguments', async () => {
    model.answers(askFor([['refund', { order: ' A-1 ' }]]), say('Paid back.'));
    const run = await startRun(user(), agent('refund'));
    const made = { order: 'A-1', euros: 500 };
    expect(await askedAbout(run)).toMatchObject({ args: made });
    await approve(run);
    await endOf(run);
    expect(await requested(run)).toEqual([made]);
    expect(toolResultsSentTo(model)).toEqual([JSON.stringify(made)]);
    const calls = await readAll(user(), `/api/runs/${textAt(run, '/id')}/calls?kind=tool`);
    expect(calls).toMatchObject([{ name: 'refund', request: made, reply: made }]);
  });

  test('an approval shows the arguments that another person edited, and the call uses exactly these', async () => {
    model.answers(askFor([['refund', { order: 'A-1' }]]), say('Paid back.'));
    const run = await startRun(user(), agent('refund'));
    const edited = { order: 'A-1', euros: 450 };
    await approve(run, { args: edited });
    await endOf(run);
    expect(await requested(run)).toEqual([edited]);
  });

  test('an approval is requested again if the tool’s schema changes the edited arguments', async () => {
    model.answers(askFor([['refund', { order: 'A-1' }]]), say('Paid back.'));
    const run = await startRun(user(), agent('refund'));
    const { id } = await askedAbout(run);
    await approve(run, { args: { order: ' A-2 ', euros: 450 } });
    await expect.poll(async () => (await askedAbout(run)).id).not.toBe(id);
    expect(await askedAbout(run)).toMatchObject({ args: { order: 'A-2', euros: 450 } });
    await approve(run);
    await endOf(run);
    expect(await requested(run)).toEqual([{ order: 'A-2', euros: 450 }]);
  });

  test('an approval policy by arguments is not bypassed by a misspelt argument: the model receives an error', async () => {
    model.answers(askFor([['refund', { order: 'A-1', Euros: 500 }]]), say('I could not.'));
    const run = await startRun(user(), agent('refund'));
    expect(at(run, '/status')).toBe('completed');
    expect(await requested(run)).toEqual([]);
    expect(toolResultsSentTo(model)).toEqual([expect.stringContaining('Did you mean "euros"?')]);
  });

  test('an approval shows a generated default that is computed once and then used by the call', async () => {
    const node: NodeDefinition = { type: 'tool', tool: 'refund_cents', args: { cents: 50_000 } };
    const run = await startRun(user(), aGraphOf(node));
    const { args } = await askedAbout(run);
    expect(args).toMatchObject({ euros: 500 });
    await approve(run);
    expect(at(await endOf(run), '/output/answer')).toEqual(args);
    expect(await requested(run)).toEqual([args]);
  });

  test('an approval shows the defaults of a JSON Schema, and the call sends them', async () => {
    const run = await startRun(user(), aGraphOf({ type: 'tool', tool: 'work' }));
    expect(await askedAbout(run)).toMatchObject({ args: { job: 'a', euros: 500 } });
    await approve(run);
    await endOf(run);
    expect(service.calls).toMatchObject([{ job: 'a' }]);
  });
});
