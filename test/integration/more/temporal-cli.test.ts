import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { ApprovalPolicy } from '../../../src/graph/definition/node-types/approval.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aGraphOf, anAskingGraph, eventsOf, hasStatus, readAll, startRun } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { answer, json, silence, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { openTemporalCli } from '../../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../../support/servers/temporal-cli.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let server: LoopbackServer;
let stack: TestStack;
let temporal: TemporalCli;
beforeAll(async () => {
  server = await startLoopbackServer();
  stack = await startTestStack({
    tools: [aToolOf(server)],
    http: { allow: [server.address] },
    defaults: { heartbeatTimeout: '10s' },
  });
  temporal = await openTemporalCli(stack);
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

interface Started {
  readonly id: string;
  readonly workflowId: string;
  readonly run: Json;
}

async function start(graph: GraphDefinition | string, input: JsonObject = {}): Promise<Started> {
  const run = await startRun(stack.as('user'), graph, input);
  return { id: textAt(run, '/id'), workflowId: `run:demo:${textAt(run, '/id')}`, run };
}

const asking = async (policy: ApprovalPolicy = {}): Promise<Started> => await start(anAskingGraph({ policy }));
const completed = async ({ id }: Started): Promise<Json> => await stack.as('user').untilRun(id, hasStatus('completed'));
const ignoredBy = async ({ id }: Started): Promise<Json[]> => await eventsOf(stack.as('user'), id, 'signal.ignored');

/** Starts a run with a failed call that waits for an intervention. */
async function startFailing(): Promise<Started> {
  server.answers(answer(404));
  return await start(aGraphOf({ type: 'tool', tool: 'work', onError: 'intervene' }));
}

describe('temporal workflow signal', () => {
  test.each([
    ['approve', '{"reason":"ok"}', { decision: 'approved', reason: 'ok', by: 'temporal-operator' }],
    ['reject', '{"reason":"no"}', { decision: 'rejected', reason: 'no', by: 'temporal-operator' }],
    ['approve', '{"by":{"sub":"carl","roles":["approver"]}}', { decision: 'approved', by: 'carl' }],
    ['approve', '{"args":{"amount":2},"values":["v"]}', { args: { amount: 2 }, values: ['v'] }],
  ])('temporal workflow signal with --name %s --input %s decides the approval', async (name, input, expected) => {
    const started = await asking({ roles: ['approver'] });
    await temporal.signal(started.workflowId, name, '--input', input);
    expect(at(await completed(started), '/output/answer')).toMatchObject(expected);
  });

  test.each([
    ['retry', '{}', 'completed'],
    ['skip', '{"node":"only","output":7}', 'completed'],
    ['fail', '{"reason":"hopeless"}', 'failed'],
    ['cancel', '{"reason":"not needed"}', 'canceled'],
  ])(
    'temporal workflow signal with --name %s --input %s resolves a failed node, and the run is %s',
    async (name, input, status) => {
      const { id, workflowId } = await startFailing();
      server.answers(json(7));
      await temporal.signal(workflowId, name, '--input', input);
      const run = await stack.as('user').untilRun(id, hasStatus(status));
      expect(at(run, '/output')).toEqual(status === 'completed' ? { answer: 7, given: null } : null);
    },
  );

  test('temporal workflow signal is judged by the approval policy with the roles in its input', async () => {
    const started = await asking({ roles: ['treasurer'] });
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    await expect
      .poll(async () => await ignoredBy(started))
      .toMatchObject([{ reason: 'not_an_approver', by: 'temporal-operator' }]);
    await temporal.signal(started.workflowId, 'approve', '--input', '{"by":{"sub":"tess","roles":["treasurer"]}}');
    expect(at(await completed(started), '/output/answer')).toMatchObject({ by: 'tess' });
  });
});

describe('a signal that can not be taken', () => {
  const raw = (encoding: string): string[] => ['--input', '{"reason":', '--input-meta', `encoding=${encoding}`];
  const bad: readonly [string, readonly [string, ...string[]], string][] = [
    ['a string as its payload', ['approve', '--input', '"yes"'], 'malformed'],
    ['a number as its payload', ['approve', '--input', '1'], 'malformed'],
    ['a list as its payload', ['approve', '--input', '[{"reason":"ok"}]'], 'malformed'],
    ['an unknown field', ['approve', '--input', '{"comment":"ok"}'], 'malformed'],
    ['a field of the wrong type', ['approve', '--input', '{"reason":1}'], 'malformed'],
    ['a person without roles', ['approve', '--input', '{"by":{"sub":"ada"}}'], 'malformed'],
    ['a signal id that is no string', ['approve', '--input', '{"signalId":1}'], 'malformed'],
    ['binary data', ['approve', ...raw('binary/plain')], 'malformed'],
    ['an unknown encoding', ['approve', ...raw('holdfast/secret')], 'malformed'],
    ['an unknown signal name', ['consent', '--input', '{}'], 'unknown_signal'],
    ['the name of a property of every object', ['constructor', '--input', '{}'], 'unknown_signal'],
    ['an unknown approval', ['approve', '--input', '{"approvalId":"none"}'], 'unknown_approval'],
    ['an approval named like a property', ['approve', '--input', '{"approvalId":"constructor"}'], 'unknown_approval'],
    ['a control without a failed node', ['retry', '--input', '{}'], 'not_allowed_now'],
  ];

  test.each(bad)(
    'a Temporal signal that is invalid because of %s is recorded with a reason, and the run continues',
    async (_what, [name, ...args], reason) => {
      const started = await asking();
      await temporal.signal(started.workflowId, name, ...args);
      const expected = { signal: name, reason, by: 'temporal-operator', detail: expect.stringMatching(/./) };
      await expect.poll(async () => await ignoredBy(started)).toMatchObject([expected]);
      expect(await temporal.query(started.workflowId, 'status')).toMatchObject({ status: 'waiting' });
      await temporal.signal(started.workflowId, 'approve', '--input', '{"reason":"ok"}');
      expect(at(await completed(started), '/output/answer')).toMatchObject({ decision: 'approved', reason: 'ok' });
    },
  );

  test('a late Temporal signal does not override an earlier decision of an approval', async () => {
    const ask = { type: 'approval', title: 'May I?', write: { log: '{{ result.decision }}' } } as const;
    const started = await start(aDefinition({ nodes: { first: ask, second: ask } }));
    const approvalId = textAt(started.run, '/waitingFor/0/id');
    const input = JSON.stringify({ approvalId });
    for (const name of ['approve', 'reject', 'approve'])
      await temporal.signal(started.workflowId, name, '--input', input);
    const reasons = [
      { signal: 'reject', reason: 'already_decided' },
      { signal: 'approve', reason: 'already_decided' },
    ];
    await expect.poll(async () => await ignoredBy(started)).toMatchObject(reasons);
    // A signal without an id refers to the run's first approval, too.
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    await expect.poll(async () => await ignoredBy(started)).toMatchObject([...reasons, reasons[1]]);
    const second = JSON.stringify({ approvalId: `${started.id}.a2` });
    await temporal.signal(started.workflowId, 'approve', '--input', second);
    expect(await completed(started)).toMatchObject({ output: { log: ['approved', 'approved'] } });
  });

  test('a Temporal signal repeated under its signalId counts once', async () => {
    const started = await asking({ quorum: 2 });
    const input = JSON.stringify({ signalId: 'd-1', by: { sub: 'ada', roles: ['approver'] } });
    for (let times = 0; times < 3; times++) await temporal.signal(started.workflowId, 'approve', '--input', input);
    expect(await temporal.query(started.workflowId, 'signalResult', '"d-1"')).toMatchObject({ taken: true });
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    await completed(started);
    const decided = await eventsOf(stack.as('user'), started.id, 'approval.decided');
    expect(decided).toMatchObject([
      { by: 'ada', status: 'pending' },
      { by: 'temporal-operator', status: 'approved' },
    ]);
  });

  test('a Temporal signal with a reserved name has no effect on the run', async () => {
    const started = await asking();
    await temporal.signal(started.workflowId, '__temporal_nothing', '--input', '{}');
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    expect(await completed(started)).toMatchObject({ output: { answer: { decision: 'approved' } } });
  });

  test('many invalid Temporal signals at once do not affect the run', async () => {
    const started = await asking();
    await Promise.all(
      Array.from({ length: 20 }, () => temporal.signal(started.workflowId, 'approve', '--input', '"yes"')),
    );
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    await completed(started);
    expect(await ignoredBy(started)).toHaveLength(20);
  });
});

describe('temporal workflow query', () => {
  const graph = anAskingGraph({ title: 'Pay {{ state.given }}?' });

  test('temporal workflow query state returns the values of all or of some channels', async () => {
    const { workflowId } = await start(graph, { given: 42 });
    expect(await temporal.query(workflowId, 'state')).toMatchObject({ values: { given: 42 }, next: ['only'] });
    expect(at(await temporal.query(workflowId, 'state', '["given"]'), '/values')).toEqual({ given: 42 });
  });

  test('temporal workflow query history returns a window of the events', async () => {
    const { id, workflowId } = await start(graph);
    const numbers = (events: Json): (Json | undefined)[] =>
      listAt({ events }, '/events').map((event) => at(event, '/seq'));
    const all = await eventsOf(stack.as('user'), id);
    expect(numbers(await temporal.query(workflowId, 'history'))).toEqual(all.map((event) => at(event, '/seq')));
    expect(numbers(await temporal.query(workflowId, 'history', '{"after":1,"limit":2}'))).toEqual([2, 3]);
  });

  test('temporal workflow query approvals returns the pending approvals', async () => {
    const { run, workflowId } = await start(graph, { given: 42 });
    const id = textAt(run, '/waitingFor/0/id');
    expect(await temporal.query(workflowId, 'approvals')).toMatchObject([
      { id, node: 'only', title: 'Pay 42?', status: 'pending' },
    ]);
  });

  test('temporal workflow query status returns the status and current nodes of the run', async () => {
    const { workflowId } = await start(graph);
    const waitingFor = [{ kind: 'approval', node: 'only' }];
    expect(await temporal.query(workflowId, 'status')).toMatchObject({
      status: 'waiting',
      step: 0,
      waitingFor,
      usage: { modelCalls: 0 },
    });
  });

  test('temporal workflow query outcome returns the outcome of a decision', async () => {
    const { workflowId } = await asking({ requireReason: true });
    await temporal.signal(workflowId, 'approve', '--input', '{"signalId":"d-2"}');
    expect(await temporal.query(workflowId, 'signalResult', '"d-2"')).toMatchObject({
      taken: false,
      refusal: { code: 'REASON_REQUIRED' },
    });
  });

  test.each([
    ['state', '"given"'],
    ['state', '[["given"],null]'],
    ['state', '["__proto__","constructor"]'],
    ['history', '[]'],
    ['history', '{"after":"x","limit":-1}'],
    ['signalResult', '{}'],
  ])('temporal workflow query %s accepts the argument %s', async (type, input) => {
    const started = await start(graph);
    await temporal.query(started.workflowId, type, input);
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    expect(await completed(started)).toMatchObject({ output: { answer: { decision: 'approved' } } });
  });

  test('temporal workflow query answers for a run that has ended', async () => {
    const { workflowId } = await start(aDefinition());
    expect(await temporal.query(workflowId, 'status')).toMatchObject({ status: 'completed', output: { log: ['a'] } });
  });
});

const stateOf = async (workflowId: string): Promise<Json | undefined> =>
  at(await temporal.tell('describe', workflowId), '/workflowExecutionInfo/status');

describe('temporal workflow cancel', () => {
  test('temporal workflow cancel ends a waiting run as canceled, for Temporal too', async () => {
    const { id, workflowId } = await asking();
    await temporal.cancel(workflowId);
    await stack.as('user').untilRun(id, hasStatus('canceled'));
    await expect.poll(async () => await stateOf(workflowId)).toBe('WORKFLOW_EXECUTION_STATUS_CANCELED');
    expect(await readAll(stack.as('user'), `/api/approvals?runId=${id}`)).toMatchObject([{ status: 'canceled' }]);
    expect(await eventsOf(stack.as('user'), id, 'run.canceled')).toMatchObject([{ by: 'temporal-operator' }]);
  });

  test('temporal workflow cancel cancels the open call of a tool', async () => {
    const call = silence();
    server.answers(call.answer);
    const { body } = await stack.as('user').post('/api/runs', { graph: aGraphOf({ type: 'tool', tool: 'work' }) });
    await call.asked;
    await temporal.cancel(`run:demo:${textAt(body, '/id')}`);
    await call.left;
    const run = await stack.as('user').untilRun(textAt(body, '/id'), hasStatus('canceled'));
    expect(run).toMatchObject({ output: null, usage: { toolCalls: 1 } });
  });
});

describe('the information that Temporal displays of a run', () => {
  /** A graph that pays and then requests an approval. */
  const graph = aDefinition({
    name: 'payment',
    nodes: { pay: { type: 'tool', tool: 'work' }, confirm: { type: 'approval', title: 'Was it paid?' } },
  });

  const decoded = (payload: Json | undefined): unknown =>
    JSON.parse(Buffer.from(textAt(payload ?? null, ''), 'base64').toString());
  const detailsOf = async (workflowId: string): Promise<string> =>
    textAt(await temporal.tell('metadata', workflowId), '/queryResult/0/currentDetails');
  const commandOf = (details: string, name: string): string =>
    new RegExp(String.raw`temporal workflow signal --workflow-id \S+ \\\s+--name ${name} [^]*?'$`, 'm').exec(
      details,
    )?.[0] ?? 'false';

  async function startPayment(): Promise<Started> {
    server.answers(json({ paid: true }));
    return await start(graph);
  }

  test('activities and timers of a run have a summary of one line in Temporal, which names their node', async () => {
    const { workflowId } = await startPayment();
    const events = listAt(await temporal.tell('show', workflowId), '/events');
    const summaryOf = (event: Json): unknown => decoded(at(event, '/userMetadata/summary/data'));
    const calls = events.filter(
      (event) => at(event, '/activityTaskScheduledEventAttributes/activityType/name') === 'callTool',
    );
    const timers = events.filter((event) => at(event, '/eventType') === 'EVENT_TYPE_TIMER_STARTED');
    expect(calls.map(summaryOf)).toEqual(['tool work · pay #1']);
    expect(timers.map(summaryOf)).toEqual([expect.stringMatching(/^.*\bconfirm\b.*$/)]);
  });

  test('every activity of a run that belongs to no node has a summary in Temporal too', async () => {
    const { workflowId } = await startPayment();
    const events = listAt(await temporal.tell('show', workflowId), '/events');
    const scheduled = events.filter((event) => at(event, '/eventType') === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED');
    expect(scheduled.filter((event) => at(event, '/userMetadata/summary/data') === undefined)).toEqual([]);
  });

  test('the workflow of a run has tenant, graph and status as search attributes', async () => {
    await stack.as('user').post('/api/graphs', graph);
    server.answers(json({ paid: true }));
    const started = await start('payment');
    const attributesOf = async (): Promise<object> => {
      const described = await temporal.tell('describe', started.workflowId);
      const fields = at(described, '/workflowExecutionInfo/searchAttributes/indexedFields') ?? null;
      const names = ['TenantId', 'GraphName', 'GraphVersion', 'RunStatus', 'PendingApprovals'];
      return Object.fromEntries(names.map((name) => [name, decoded(at(fields, `/${name}/data`))]));
    };
    const whose = { TenantId: 'demo', GraphName: 'payment', GraphVersion: 1 };
    expect(await attributesOf()).toEqual({ ...whose, RunStatus: 'waiting', PendingApprovals: 1 });
    await temporal.signal(started.workflowId, 'approve', '--input', '{}');
    await completed(started);
    await expect.poll(attributesOf).toMatchObject({ RunStatus: 'completed', PendingApprovals: 0 });
  });

  test('the details of a run in Temporal contain status, node, usage and pending approvals', async () => {
    const { workflowId } = await startPayment();
    const details = await detailsOf(workflowId);
    const parts = ['payment', 'waiting', '`confirm`', '1 tool call', 'Was it paid?'];
    expect(parts.filter((part) => !details.includes(part))).toEqual([]);
  });

  test('the details of a run in Temporal are whole lines of Markdown within the size limit, with a complete description of a failed call', async () => {
    const { id, workflowId } = await startFailing();
    const details = await detailsOf(workflowId);
    expect(details).toContain('\n\n- at: `only`\n- used: ');
    const key = textAt((await stack.as('user').get(`/api/runs/${id}`)).body, '/waitingFor/0/idempotencyKey');
    const parts = [
      'retry, skip or fail it: TOOL\\_FAILED',
      '- tool: `work`',
      `- key: \`${key}\``,
      '- `retry`: Makes the call',
    ];
    expect(parts.filter((part) => !details.includes(part))).toEqual([]);
    const commands = details.split('\n').filter((line) => line.startsWith('    '));
    expect(commands).toHaveLength(9);
    expect(commands.filter((line) => line.length > 100)).toEqual([]);
  });

  test('redacted channels are absent from the details and the failure of a run in Temporal', async () => {
    const secretive = aDefinition({
      channels: { secret: { redact: true }, copy: {} },
      nodes: {
        ask: { type: 'approval', title: 'Pay to {{ state.secret }}?', args: ['{{ state.secret }}'] },
        fail: { type: 'set', write: { copy: '{{ {"a": 1}[state.secret] }}' } },
      },
    });
    const { id, workflowId } = await start(secretive, { secret: 'canary-4711' });
    const asking = await detailsOf(workflowId);
    expect(asking).toContain('redacted');
    await temporal.signal(workflowId, 'approve', '--input', '{}');
    await stack.as('user').untilRun(id, hasStatus('failed'));
    // The store records the end of a run shortly before Temporal.
    await expect.poll(async () => await stateOf(workflowId)).toBe('WORKFLOW_EXECUTION_STATUS_FAILED');
    const failed = listAt(await temporal.tell('show', workflowId), '/events').at(-1) ?? null;
    expect(at(failed, '/workflowExecutionFailedEventAttributes/failure/message')).toBe('[redacted]');
    expect(JSON.stringify([asking, await detailsOf(workflowId), failed])).not.toContain('canary-4711');
  });

  test.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ])('the details of a run in Temporal include a working command to %s an approval', async (name, decision) => {
    const started = await asking();
    await temporal.paste(commandOf(await detailsOf(started.workflowId), name));
    expect(at(await completed(started), '/output/answer')).toMatchObject({ decision });
  });

  test.each([
    ['retry', 'completed'],
    ['skip', 'completed'],
    ['fail', 'failed'],
  ])('the details of a run in Temporal include a working command to %s a failed node', async (name, status) => {
    const { id, workflowId } = await startFailing();
    server.answers(json(7));
    await temporal.paste(commandOf(await detailsOf(workflowId), name));
    const run = await stack.as('user').untilRun(id, hasStatus(status));
    expect(run).toMatchObject({ status, usage: { toolCalls: name === 'retry' ? 2 : 1 } });
  });

  test('the workflow of a failed run fails in Temporal with the error code of the run', async () => {
    server.answers(answer(404));
    const { workflowId } = await start(aGraphOf({ type: 'tool', tool: 'work' }));
    const last = async () => listAt(await temporal.tell('show', workflowId), '/events').at(-1);
    const failure = { applicationFailureInfo: { type: 'TOOL_FAILED' } };
    await expect.poll(last).toMatchObject({ workflowExecutionFailedEventAttributes: { failure } });
  });
});
