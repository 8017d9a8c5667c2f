import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/graph/values/json.ts';
import { anAgent, startAgent, useAgentStack } from '../../support/servers/agent-stack.ts';
import { aGraphOf, eventsOf, hasStatus, readAll } from '../../support/readers/api-runs.ts';
import { askFor, say, toolResultsSentTo } from '../../support/builders/chat-model.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { aProblem } from '../../support/readers/problems.ts';
import { openTemporalCli } from '../../support/servers/temporal-cli.ts';
import type { TemporalCli } from '../../support/servers/temporal-cli.ts';

const { stack, model, service, user, control, until } = useAgentStack();

const approver = () => stack().as('approver');
const idOf = (run: Json): string => textAt(run, '/id');
const approvalsOf = (run: Json): Promise<Json[]> => readAll(approver(), `/api/approvals?runId=${idOf(run)}`);
const statusOf = (run: Json): string => textAt(run, '/status');

/** An agent with two jobs: `a` of 500 euros, which needs an approval, and `b`. */
async function startAsking(): Promise<Json> {
  const calls = [['work', { job: 'a', euros: 500 }] as const, ['work', { job: 'b', euros: 5 }] as const];
  model().answers(askFor(calls), say('Done'));
  return await startAgent(user(), { approve: { work: 'args.euros > 100' } });
}

describe('a call that needs an approval', () => {
  test("an agent's tool call that needs an approval waits for it, the approval shows the arguments, and other calls continue", async () => {
    const run = await startAsking();
    const [approval] = await approvalsOf(run);
    expect(service().done).toEqual(['b']);
    expect(run).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'approval', node: 'only', id: textAt(approval ?? null, '/id') }],
      usage: { modelCalls: 1, toolCalls: 1 },
    });
    expect(approval).toMatchObject({
      node: 'only',
      tool: 'work',
      title: 'Call work',
      details: {
        tool: 'work',
        effect: 'keyed',
        description: 'Does the work',
        because: expect.stringMatching(/call-0/),
      },
      args: { job: 'a', euros: 500 },
      argsSchema: { required: ['job'] },
      status: 'pending',
    });
  });

  test('an approved tool call of an agent is made with its original arguments', async () => {
    const run = await startAsking();
    expect(await approver().post(`/api/runs/${idOf(run)}/approve`, {})).toMatchObject({ status: 200 });
    await until(idOf(run), 'completed');
    expect(service().done).toEqual(['b', 'a']);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}', '{"job":"b"}']);
  });

  test('an approved tool call of an agent is made with the approver’s arguments, and the model receives these', async () => {
    const run = await startAsking();
    const id = textAt((await approvalsOf(run))[0] ?? null, '/id');
    const args = { job: 'a', euros: 250 };
    await approver().post(`/api/approvals/${id}/decision`, { decision: 'approve', args, reason: 'half' });
    await until(idOf(run), 'completed');
    const events = await eventsOf(user(), idOf(run));
    const requested = events.filter((event) => at(event, '/type') === 'tool.requested');
    expect(requested.map((event) => at(event, '/args'))).toEqual([{ job: 'b', euros: 5 }, args]);
    expect(events.filter((event) => textAt(event, '/type').startsWith('approval'))).toMatchObject([
      { type: 'approval.requested', approval: { args: { job: 'a', euros: 500 } } },
      { type: 'approval.decided', decision: 'approve', by: 'ada', reason: 'half', args },
    ]);
    expect(toolResultsSentTo(model())[0]).toBe(
      '{"job":"a"}\n(A person changed the arguments to {"euros":250,"job":"a"})',
    );
  });

  test('a tool call of an agent is not made with edited arguments that violate the schema of its tool', async () => {
    const run = await startAsking();
    const answer = await approver().post(`/api/runs/${idOf(run)}/approve`, { args: { job: 'a', euros: 5000 } });
    expect(answer).toMatchObject({
      ...aProblem(422, 'VALIDATION_FAILED'),
      body: { issues: [{ path: '/args/euros' }] },
    });
    expect(service().done).toEqual(['b']);
    expect(await approvalsOf(run)).toMatchObject([{ status: 'pending' }]);
  });

  test('a rejected tool call of an agent is not made, and the model receives the reason', async () => {
    const run = await startAsking();
    await approver().post(`/api/runs/${idOf(run)}/reject`, { reason: 'too dear' });
    expect(await until(idOf(run), 'completed')).toMatchObject({ output: { answer: { text: 'Done' } } });
    expect(service().done).toEqual(['b']);
    expect(toolResultsSentTo(model())[0]).toMatch(
      /^The call was not approved, and was not made\. A person said: too dear/,
    );
  });

  test("the approval of an agent's tool call can not be decided by a caller with the role user", async () => {
    const run = await startAsking();
    expect(await user().post(`/api/runs/${idOf(run)}/approve`, {})).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });

  test.each([
    ['sign', ['a']],
    ['send', []],
  ])(
    "an agent's tool call needs an approval if its tool requires one, or is unsafe without stating whether it needs one: %s",
    async (tool, asked) => {
      model().answers(askFor([[tool, { job: 'a' }]]), say('Done'));
      const run = await startAgent(user());
      expect((await approvalsOf(run)).map((approval) => at(approval, '/args/job'))).toEqual(asked);
    },
  );

  test("the approval of an agent's tool call is decided by its id where several are pending", async () => {
    const calls = ['a', 'b', 'c'].map((job) => ['sign', { job }] as const);
    model().answers(askFor(calls), say('Done'));
    const run = await startAgent(user());
    expect(listAt(run, '/waitingFor')).toHaveLength(3);
    expect(await approver().post(`/api/runs/${idOf(run)}/approve`, {})).toMatchObject({ status: 422 });
    const approvals = await approvalsOf(run);
    const idFor = (job: string): string =>
      textAt(approvals.find((approval) => at(approval, '/args/job') === job) ?? null, '/id');
    for (const [job, decision] of [
      ['c', 'approve'],
      ['b', 'reject'],
      ['a', 'approve'],
    ] as const)
      await approver().post(`/api/approvals/${idFor(job)}/decision`, { decision });
    await until(idOf(run), 'completed');
    expect(service().done).toEqual(['c', 'a']);
    expect(toolResultsSentTo(model())).toEqual([
      '{"job":"a"}',
      expect.stringContaining('A person said no'),
      '{"job":"c"}',
    ]);
  });
});

describe('a signal of the temporal command', () => {
  let temporal: TemporalCli;
  beforeAll(async () => {
    temporal = await openTemporalCli(stack());
  });
  const signal = (run: Json, name: string, input: Json): Promise<void> =>
    temporal.signal(`run:demo:${idOf(run)}`, name, '--input', JSON.stringify(input));

  test("a Temporal signal approves an agent's tool call with other arguments", async () => {
    const run = await startAsking();
    await signal(run, 'approve', { args: { job: 'a', euros: 1 } });
    await until(idOf(run), 'completed');
    expect(service().done).toEqual(['b', 'a']);
    expect(toolResultsSentTo(model())[0]).toContain('{"euros":1,"job":"a"}');
    expect(await eventsOf(user(), idOf(run), 'approval.decided')).toMatchObject([{ by: 'temporal-operator' }]);
  });

  test("a Temporal signal rejects an agent's tool call", async () => {
    const run = await startAsking();
    await signal(run, 'reject', { reason: 'no', by: { sub: 'carl', roles: ['approver'] } });
    await until(idOf(run), 'completed');
    expect(service().done).toEqual(['b']);
  });

  test('a Temporal signal that approves arguments which violate the tool’s schema is ignored', async () => {
    const run = await startAsking();
    await signal(run, 'approve', { args: { euros: 1 } });
    await signal(run, 'approve', {});
    await until(idOf(run), 'completed');
    expect(await eventsOf(user(), idOf(run), 'signal.ignored')).toHaveLength(1);
    expect(toolResultsSentTo(model())[0]).toBe('{"job":"a"}');
  });

  test("a Temporal signal skips an agent's tool call that waits for an intervention", async () => {
    const run = await startFailing();
    await signal(run, 'skip', { output: { job: 'by hand' } });
    await until(idOf(run), 'completed');
    expect(toolResultsSentTo(model())).toEqual(['{"job":"by hand"}', '{"job":"b"}']);
  });
});

/** An agent with two calls, one of which fails and needs an intervention. */
async function startFailing(times = 1): Promise<Json> {
  service().refuse('a', times);
  model().answers(
    askFor([
      ['repair', { job: 'a' }],
      ['work', { job: 'b' }],
    ]),
    say('Done'),
  );
  return await startAgent(user());
}

describe('a call that waits for a person', () => {
  test("an agent's tool call that waits for an intervention is listed with its error", async () => {
    const run = await startFailing();
    expect(run).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'intervention', node: 'only' }] });
    expect(service().done).toEqual(['b']);
  });

  test("an agent's failed tool call is made again by retry, and the agent continues", async () => {
    const run = await startFailing();
    expect(await control(idOf(run), 'retry')).toMatchObject({ status: 202 });
    expect(await until(idOf(run), 'completed')).toMatchObject({ usage: { modelCalls: 2, toolCalls: 3 } });
    expect(service().done).toEqual(['b', 'a']);
    const keys = service()
      .calls.filter(({ job }) => job === 'a')
      .map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}', '{"job":"b"}']);
  });

  test("an agent's failed tool call is skipped with an output that replaces its result", async () => {
    const run = await startFailing();
    await control(idOf(run), 'skip', { node: 'only', output: 'done by hand' });
    await until(idOf(run), 'completed');
    expect(toolResultsSentTo(model())).toEqual(['done by hand', '{"job":"b"}']);
    expect(
      service()
        .calls.map(({ job }) => job)
        .toSorted(),
    ).toEqual(['a', 'b']);
  });

  test('the control "fail" for a tool call of an agent fails the agent node too', async () => {
    const run = await startFailing();
    await control(idOf(run), 'fail', { reason: 'hopeless' });
    expect(await until(idOf(run), 'failed')).toMatchObject({ error: { code: 'TOOL_FAILED', node: 'only' } });
  });
});

describe('an unsafe call with an unknown outcome', () => {
  /** Starts an agent whose call has no complete answer. */
  async function startUnknown(): Promise<Json> {
    model().answers(
      askFor([
        ['send', { job: 'a' }],
        ['work', { job: 'b' }],
      ]),
      say('Done'),
    );
    service().breakOff('a');
    const { body } = await user().post('/api/runs', { graph: aGraphOf(anAgent()) });
    return await until(idOf(body), 'waiting');
  }

  test("an agent's unsafe tool call with an unknown outcome waits for a person, and is made again by retry under the same key", async () => {
    const run = await startUnknown();
    expect(run).toMatchObject({ waitingFor: [{ kind: 'intervention', node: 'only' }] });
    await control(idOf(run), 'retry');
    await until(idOf(run), 'completed');
    const keys = service()
      .calls.filter(({ job }) => job === 'a')
      .map(({ key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"a"}', '{"job":"b"}']);
  });

  test("an agent's unsafe tool call is not made again when a person supplies its outcome", async () => {
    const run = await startUnknown();
    await control(idOf(run), 'skip', { output: { job: 'seen' } });
    expect(statusOf(await until(idOf(run), 'completed'))).toBe('completed');
    expect(service().calls.filter(({ job }) => job === 'a')).toHaveLength(1);
    expect(toolResultsSentTo(model())).toEqual(['{"job":"seen"}', '{"job":"b"}']);
  });
});

test("an agent's tool calls that wait for people end when their run is canceled", async () => {
  const run = await startAsking();
  await control(idOf(run), 'cancel');
  expect(await until(idOf(run), 'canceled')).toSatisfy(hasStatus('canceled'));
  expect(await approvalsOf(run)).toMatchObject([{ status: 'canceled' }]);
});
