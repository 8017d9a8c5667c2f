import { describe, expect, test } from 'vitest';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { Approval } from '../../../src/graph/run/approval.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { asks, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Stage } from '../../support/builders/agents.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';
import type { Answer, MemoryRun } from '../../support/doubles/memory-shell.ts';
import { decideLast } from '../../support/builders/runs.ts';

const by = { sub: 'ada', roles: ['approver'] };
const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const tell = (key: string): readonly [string, Json] => ['notify', { key }];
const tools = ['lookup', 'notify'];

const approvalsOf = ({ run }: MemoryRun): readonly Approval[] => Object.values(run.approvals);
const statusesOf = (run: MemoryRun): readonly string[] => approvalsOf(run).map(({ status }) => status);

/** An agent that requests a lookup and an unsafe tool, and then ends. */
function playAsking(answer: Answer | null, agent: Agent = {}, stage: Partial<Stage> = {}): Played {
  const approval = (): Answer | null => answer;
  return playAgent(
    { tools, ...agent },
    { replies: [asks(tell('x'), look('y')), 'done', 'more'], outside: { approval }, ...stage },
  );
}

describe('the approval of a call of an agent', () => {
  test("the approval of an agent's tool call delays no other call of the turn", () => {
    const { run, calls } = playAsking(null);
    expect(calls.map(({ tool }) => tool)).toEqual(['lookup']);
    expect(toRunView(run.run)).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'approval', id: 'run-1.a1', node: 'a' }],
    });
    expect(approvalsOf(run)).toMatchObject([
      { tool: 'notify', args: { key: 'x' }, policy: {}, node: 'a', requestedBy: 'uma' },
    ]);
  });

  test("an agent's tool call is made when its approval is approved", () => {
    const played = playAsking({ decision: 'approve' });
    expect(toolResultsIn(played)).toEqual(['x', 'y']);
    expect(played.run.run).toMatchObject({ status: 'completed', timers: {} });
  });

  test("the approval of an agent's tool call covers only that call", () => {
    const { calls } = playAsking({ decision: 'approve' });
    expect(calls.map(({ tool, isApproved }) => [tool, isApproved])).toEqual([
      ['lookup', undefined],
      ['notify', true],
    ]);
  });

  test("the approver of an agent's tool call may edit the arguments, which is reported to the model", () => {
    const played = playAsking({ decision: 'approve', args: { key: 'z' } });
    expect(played.calls.map(({ args }) => args)).toContainEqual({ key: 'z' });
    expect(toolResultsIn(played)[0]).toBe('z\n(A person changed the arguments to {"key":"z"})');
  });

  test("edited arguments of an agent's tool call are reported to the model even if the call fails", () => {
    const tool = ({ tool: name }: { tool: string }): Json => {
      if (name === 'notify') throw failure;
      return 'y';
    };
    const played = playAsking({ decision: 'approve', args: { key: 'z' } }, {}, { tool });
    expect(toolResultsIn(played)[0]).toBe('Execution failed: no\n(A person changed the arguments to {"key":"z"})');
  });

  test("the approver of an agent's tool call can not edit its arguments to something that the tool does not accept", () => {
    const { run, calls } = playAsking({ decision: 'approve', args: { key: 7 } });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'invalid_args' });
    expect([statusesOf(run), calls.length]).toEqual([['pending'], 1]);
  });

  test.each([
    [undefined, 'The call was not approved, and was not made. A person said no'],
    ['too much', 'The call was not approved, and was not made. A person said: too much'],
  ])("the rejection of an agent's tool call for the reason %j is reported to the model as %j", (reason, answer) => {
    const played = playAsking({ decision: 'reject', ...(reason !== undefined && { reason }) });
    expect(toolResultsIn(played)).toEqual([answer, 'y']);
    expect(played.calls).toHaveLength(1);
  });

  test("the expiry of the approval of an agent's tool call is reported to the model", () => {
    const played = playAsking(null);
    played.run.passTime(7 * 86_400_000);
    expect(toolResultsIn(played)).toEqual([
      'The call was not approved, and was not made. It was not approved in time',
      'y',
    ]);
    expect(statusesOf(played.run)).toEqual(['expired']);
  });

  test("the approval of an agent's tool call must be named if several are pending", () => {
    const { run } = playAsking(null, {}, { replies: [asks(tell('1'), tell('2')), 'done'] });
    run.signal('approve', { by });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'approval_id_required' });
    run.signal('approve', { approvalId: 'run-1.a2', by });
    run.signal('reject', { by });
    expect(run.run.status).toBe('completed');
    expect(statusesOf(run)).toEqual(['rejected', 'approved']);
  });

  test("the approval of an agent's tool call is withdrawn when the run is canceled", () => {
    const { run } = playAsking(null);
    run.signal('cancel', {});
    expect([run.run.status, statusesOf(run), run.run.timers]).toEqual(['canceled', ['canceled'], {}]);
  });

  test("the approval of an agent's tool call is withdrawn when the agent fails or is diverted, and requested again on a retry", () => {
    const slow = {
      replies: [asks(tell('x'), ['charge', { key: 'y' }]), 'done'],
      tools: { charge: { onFailure: 'intervene' } },
    };
    const { run, calls } = playAsking(null, { tools: ['notify', 'charge'] }, { ...slow, tool: failOnce() });
    run.signal('fail', { by });
    expect([run.run.status, statusesOf(run)]).toEqual(['failed', ['canceled']]);
    run.reopen('retry');
    run.signal('retry', { id: 'a:1:2', by });
    expect(statusesOf(run)).toEqual(['canceled', 'pending']);
    decideLast(run, 'approve', { by });
    expect([run.run.status, calls.length]).toEqual(['completed', 3]);
  });

  test('an approved tool call of an agent is not made while the run is paused', () => {
    const { run, calls } = playAsking(null);
    run.signal('pause', {});
    run.signal('approve', { by });
    expect([run.run.status, calls.length]).toEqual(['paused', 1]);
    run.signal('resume', {});
    expect([run.run.status, calls.length]).toEqual(['completed', 2]);
  });

  test("the rejection of an agent's tool call while the run is paused is reported to the model later", () => {
    const { run, requests } = playAsking(null);
    run.signal('pause', {});
    run.signal('reject', { by });
    expect([run.run.status, requests.length]).toEqual(['paused', 1]);
    run.signal('resume', {});
    expect([run.run.status, requests.length]).toEqual(['completed', 2]);
  });

  test("the wait for the approval of an agent's tool call does not count for the deadline of the agent", () => {
    const { run, calls } = playAsking(null, { deadline: '10s' });
    run.passTime(3_600_000);
    run.signal('approve', { by });
    expect(run.run.status).toBe('completed');
    expect(calls[1]?.policy.deadlineMs).toBeGreaterThan(9_000);
  });
});

describe('an approval is requested', () => {
  const asked = (agent: Agent, stage: Partial<Stage> = {}): readonly string[] =>
    approvalsOf(playAsking(null, agent, stage).run).map(({ tool = '' }) => tool);

  test.each<[string, Agent, Partial<Stage>, readonly string[]]>([
    ['unsafe tools', {}, {}, ['notify']],
    ['tools with a rule of the node', { approve: { lookup: 'always' } }, {}, ['notify', 'lookup']],
    ['tools with their own rule', {}, { tools: { lookup: { approval: 'always' } } }, ['notify', 'lookup']],
    ['unsafe tools, even if the node never requires one', { approve: { notify: 'never' } }, {}, ['notify']],
    [
      'tools with their own rule, even if the node never requires one',
      { approve: { lookup: 'never' } },
      { tools: { lookup: { approval: 'always' } } },
      ['notify', 'lookup'],
    ],
    [
      'calls that match a condition of the node',
      { approve: { lookup: "args.key == 'y' && state.n == null" } },
      {},
      ['notify', 'lookup'],
    ],
    ['no tool whose condition of the node is false', { approve: { lookup: "args.key == 'z'" } }, {}, ['notify']],
    [
      'calls that match a condition of the tool',
      {},
      { tools: { lookup: { approval: { when: "args.key == 'y'" } } } },
      ['notify', 'lookup'],
    ],
    ['no tool whose own condition is false', {}, { tools: { notify: { approval: { when: 'false' } } } }, []],
  ])('an agent requests an approval for %s', (...[, agent, stage, names]) => {
    expect(asked(agent, stage)).toEqual(names);
  });

  test.each([["args.nope == 'x'"], ["'yes'"]])(
    'an agent requests no approval for a call if the approval condition fails: %s',
    (rule) => {
      const { run, calls } = playAsking(null, { approve: { lookup: rule } });
      const message = expect.stringMatching(/^approve\.lookup: .*(?:nope|yes)/);
      expect(run.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a', message });
      expect(calls).toEqual([]);
    },
  );
});

const failure = new CallFailure('TOOL_FAILED', 'no');

function failOnce(): NonNullable<Stage['tool']> {
  let count = 0;
  return ({ tool, args }) => {
    if (tool === 'charge' && count++ === 0) throw failure;
    return args;
  };
}
