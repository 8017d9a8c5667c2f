import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine } from '../../../src/api/temporal/engine.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { payloadConverterPath } from '../../../src/process/data-converter.ts';
import { createClient } from '../../../src/dev/demo/ticket.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { canonicalJson } from '../../../src/graph/values/compare-json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { SignalResult } from '../../../src/graph/run/occurrence.ts';
import { UPGRADE, toWorkflowId } from '../../../src/workflows/contract.ts';
import { eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { executionsOf } from '../../support/readers/executions.ts';
import { startJobService } from '../../support/doubles/job-service.ts';
import type { JobService } from '../../support/doubles/job-service.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';
import { startToolAskingModel } from '../../support/doubles/tool-asking-model.ts';
import type { ToolAskingModel } from '../../support/doubles/tool-asking-model.ts';
import { CONTINUING_RUNS } from '../../replay/continuing-runs.ts';
import { playLanguageRun } from '../../replay/play-language-run.ts';

let service: JobService;
let model: ToolAskingModel;
let often: TestStack;
let never: TestStack;
let connection: Connection;
beforeAll(async () => {
  service = await startJobService();
  const jobs = ['m1', 'm2', 'm3'];
  model = await startToolAskingModel(jobs.map((job, at) => ({ name: at === 1 ? 'ask' : 'work', args: { job } })));
  [often, never] = await Promise.all([startTestStack(aConfig({ continueAfter: 1 })), startTestStack(aConfig({}))]);
  connection = await Connection.connect({ address: often.temporalAddress });
});
afterAll(async () => {
  await connection.close();
  await Promise.all([often.stop(), never.stop()]);
  await Promise.all([service.stop(), model.stop()]);
});

function aConfig(defaults: NonNullable<ConfigInput['defaults']>): ConfigInput {
  return {
    models: { default: { provider: 'openai-compatible', model: 'asking', baseUrl: model.url } },
    tools: [aToolOf(service), aToolOf(service, { name: 'ask', approval: 'always' })],
    http: { allow: [service.address, model.address] },
    defaults,
  };
}

/** The number of times a run has continued as new. */
async function continuationsOf(runId: string): Promise<number> {
  return (await executionsOf(new Client({ connection, namespace: often.namespace }).workflow, runId)).length - 1;
}

/**
 * The events and state of a run, without values that differ between equal runs, such as which of two tasks was faster.
 */
async function accountOf(stack: TestStack, runId: string): Promise<Json> {
  const client = stack.as('admin');
  const [run, state] = await Promise.all([client.get(`/api/runs/${runId}`), client.get(`/api/runs/${runId}/state`)]);
  const events = await eventsOf(client, runId);
  expectNumbered(events);
  const lasting = (value: unknown): Json => {
    const text = JSON.stringify(value).replaceAll(runId, 'RUN');
    return toJson(JSON.parse(text, (key, part: unknown) => (FLEETING.has(key) ? undefined : part)));
  };
  const supersteps = events.filter((event) => at(event, '/type') === 'step.started' && !at(event, '/path'));
  return toJson({
    events: events.map((event) => canonicalJson(lasting(event))).toSorted(),
    supersteps: supersteps.map((event) => at(event, '/nodes')),
    values: lasting(at(state.body, '/values')),
    next: at(state.body, '/next'),
    status: at(run.body, '/status'),
    output: lasting(at(run.body, '/output')),
    error: lasting(at(run.body, '/error')),
    usage: at(run.body, '/usage'),
  });
}

const FLEETING: ReadonlySet<string> = new Set([
  'seq',
  'checkpoint',
  'at',
  'durationMs',
  'requestedAt',
  'expiresAt',
  'id',
]);

/** Event and checkpoint numbers continue over all executions. */
function expectNumbered(events: readonly Json[]): void {
  const checkpoints = events.map((event) => at(event, '/checkpoint')).filter((id) => typeof id === 'string');
  expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, before) => before + 1));
  expect(checkpoints.map((id) => id.split('.c').at(-1))).toEqual(checkpoints.map((_, before) => `${before + 1}`));
}

test.each(CONTINUING_RUNS)(
  'a run that continues as new at every opportunity records the same events and state as one that never does: $name',
  async (run) => {
    const [left, right] = await Promise.all([
      playLanguageRun(createClient(often.baseUrl, often.tokens.admin), run),
      playLanguageRun(createClient(never.baseUrl, never.tokens.admin), run),
    ]);
    expect(await accountOf(often, left)).toEqual(await accountOf(never, right));
    expect(await continuationsOf(left)).toBeGreaterThan(0);
  },
);

/** Waits until a workflow has an execution other than the known one. @returns its run id */
async function anotherExecution(handle: WorkflowHandle, known: string): Promise<string> {
  for (;;) {
    const { runId } = await handle.describe();
    if (runId !== known) return runId;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a waiting run continues as new each time that this is requested', async () => {
  const elsewhere = await Connection.connect({ address: never.temporalAddress });
  const user = never.as('user');
  const { body } = await user.post('/api/runs', {
    graph: aDefinition({ nodes: { ask: { type: 'approval', title: 'Go on?' } } }),
  });
  const id = textAt(body, '/id');
  await user.untilRun(id, hasStatus('waiting'));
  const handle = new Client({ connection: elsewhere, namespace: never.namespace }).workflow.getHandle(
    toWorkflowId({ tenantId: 'demo', id }),
  );
  const executions = [(await handle.describe()).runId];
  for (const known of executions) {
    await handle.signal(UPGRADE);
    if (executions.length < 4) executions.push(await anotherExecution(handle, known));
  }
  expect(new Set(executions).size).toBe(4);
  await never.as('approver').post(`/api/runs/${id}/approve`, {});
  await user.untilRun(id, hasStatus('completed'));
  await elsewhere.close();
});

test('a decision that is repeated after a continue-as-new counts once and has the same outcome', async () => {
  const user = often.as('user');
  const { body } = await user.post('/api/runs', {
    graph: aDefinition({ nodes: { ask: { type: 'approval', title: 'Go on?', policy: { quorum: 2 } } } }),
  });
  const id = textAt(body, '/id');
  await user.untilRun(id, hasStatus('waiting'));
  const handle = new Client({ connection, namespace: often.namespace }).workflow.getHandle(
    toWorkflowId({ tenantId: 'demo', id }),
  );
  const engine = createEngine(connection, often.namespace, { payloadConverterPath });
  const approve = async (signalId: string, sub: string): Promise<void> =>
    await handle.signal('approve', { signalId, by: { sub, roles: ['approver'] } });
  const outcomeInAnotherExecution = async (sub: string): Promise<SignalResult | null> => {
    const { runId } = await handle.describe();
    await approve('d-1', sub);
    await anotherExecution(handle, runId);
    return await engine.signalResult({ tenantId: 'demo', id }, 'd-1');
  };
  const first = await outcomeInAnotherExecution('ada');
  expect(first).toMatchObject({ id: 'd-1', taken: true, value: { status: 'pending' } });
  expect(await outcomeInAnotherExecution('ada')).toEqual(first);
  // A second person would complete the quorum if the repeated id were not recognized.
  expect(await outcomeInAnotherExecution('bob')).toEqual(first);
  expect(await eventsOf(user, id, 'approval.decided')).toMatchObject([{ by: 'ada', status: 'pending' }]);
  await approve('d-2', 'bob');
  await user.untilRun(id, hasStatus('completed'));
  expect(await eventsOf(user, id, 'approval.decided')).toMatchObject([
    { by: 'ada', status: 'pending' },
    { by: 'bob', status: 'approved' },
  ]);
  expect(await eventsOf(user, id, 'signal.ignored')).toEqual([]);
  expect(await approvalsSignaledTo(id)).toEqual([1, 1, 1, 1]);
});

/** The number of approve signals that each execution of a run received. */
async function approvalsSignaledTo(runId: string): Promise<readonly number[]> {
  const executions = await executionsOf(new Client({ connection, namespace: often.namespace }).workflow, runId);
  const signaled = executions.map(({ events }) =>
    events?.map((event) => event.workflowExecutionSignaledEventAttributes),
  );
  return signaled.map((signals) => signals?.filter((signal) => signal?.signalName === 'approve').length ?? 0);
}

const EVENTS = 60;
const WAVE = 6;
const collects: GraphDefinition = aDefinition({
  channels: { got: { reducer: 'append' } },
  nodes: { wait: { type: 'wait', event: 'go', timeout: '1h', write: { got: '{{ result }}' } } },
  edges: [
    { from: '__start__', to: 'wait' },
    { from: 'wait', branches: [{ when: `size(state.got) < ${EVENTS}`, to: 'wait' }, { to: '__end__' }] },
  ],
  limits: { maxSteps: EVENTS },
});

test('no signal is lost or handled twice while a run continues as new', async () => {
  const user = often.as('user');
  const { body } = await user.post('/api/runs', { graph: collects });
  const id = textAt(body, '/id');
  const handle = new Client({ connection, namespace: often.namespace }).workflow.getHandle(
    toWorkflowId({ tenantId: 'demo', id }),
  );
  await user.untilRun(id, hasStatus('waiting'));
  let known = (await handle.describe()).runId;
  const numbers = Array.from({ length: EVENTS }, (_, number) => number);
  for (let sent = 0; sent < EVENTS; sent += WAVE) {
    const wave = numbers.slice(sent, sent + WAVE);
    await Promise.all(wave.map(async (payload) => await handle.signal('event', { event: 'go', payload })));
    // When these rows are written, the execution is about to end: the next wave of signals arrives then, or in the new
    // execution.
    await user.untilRun(id, (now) => Number(at(now, '/step')) >= sent + WAVE - 1);
    if (sent % (2 * WAVE) === 0 && sent + WAVE < EVENTS) known = await anotherExecution(handle, known);
  }
  const run = await user.untilRun(id, hasStatus('completed'));
  expect([...listAt(run, '/output/got')].map(Number).toSorted((a, b) => a - b)).toEqual(numbers);
  const seqs = (await eventsOf(user, id)).map((event) => at(event, '/seq'));
  expect(seqs).toEqual(seqs.map((_, before) => before + 1));
  expect(await continuationsOf(id)).toBeGreaterThan(2);
});
