import { describe, expect, test } from 'vitest';
import type { ApprovalPolicy } from '../../src/graph/definition/node-types/approval.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { startRun } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const USER = { sub: 'uma', roles: ['user'] };
const APPROVER = { sub: 'ada', roles: ['approver'] };

const asking = (policy: ApprovalPolicy): MemoryRun =>
  startRun({
    nodes: {
      ask: { type: 'approval', title: 'May I?', policy },
      pay: { type: 'set', write: { log: 'paid' } },
    },
  });

test.each<[string, ApprovalPolicy, JsonObject, boolean]>([
  ['requires an approver if the policy names nobody', {}, USER, false],
  ['is allowed to approvers', {}, APPROVER, true],
  ['is allowed to a person whom the policy names', { users: ['uma'] }, USER, true],
  ['is refused to a person whom the policy does not name', { roles: ['boss'] }, APPROVER, false],
  ['is refused to a single person if two are required', { quorum: 2 }, APPROVER, false],
  ['is refused if a reason is required', { requireReason: true }, APPROVER, false],
])('a replan past a pending approval %s', (...[, policy, by, isTaken]) => {
  const run = asking(policy);
  run.signal('replan', { node: 'pay', by });
  expect(run.run.status).toBe(isTaken ? 'completed' : 'waiting');
  const types = run.events.map(({ type }) => type);
  expect(types).toContain(isTaken ? 'state.updated' : 'signal.ignored');
});

test.each<[string, ApprovalPolicy, JsonObject, boolean]>([
  ['requires an approver if the policy names nobody', {}, USER, false],
  ['is allowed to a person whom the policy names', { users: ['uma'] }, USER, true],
  ['is allowed to each of several approvers', { quorum: 2, requireReason: true }, APPROVER, true],
  [
    'is refused to an editor of the run if the policy excludes the requester',
    { excludeRequester: true, users: ['uma'] },
    USER,
    false,
  ],
])('a replan to an approval that has not been requested yet %s', (...[, policy, by, isTaken]) => {
  const run = startRun({
    nodes: {
      first: { type: 'set', write: { log: 'begun' } },
      ask: { type: 'approval', title: 'May I?', policy },
    },
    interruptAfter: ['first'],
  });
  run.signal('replan', { node: 'ask', by });
  expect(run.run.status).toBe(isTaken ? 'waiting' : 'paused');
});

describe('an approval that was withdrawn because its run was canceled', () => {
  const canceled = (policy: ApprovalPolicy): MemoryRun => {
    const run = startRun({
      channels: { amount: { default: 200 }, log: { reducer: 'append' } },
      nodes: {
        triage: { type: 'set', write: { log: 'seen' } },
        ask: { type: 'approval', title: 'May I?', policy },
        pay: { type: 'set', write: { log: 'paid' } },
      },
      edges: [
        { from: '__start__', to: 'triage' },
        { from: 'triage', branches: [{ when: 'state.amount > 100', to: 'ask' }, { to: 'pay' }] },
        { from: 'ask', to: 'pay' },
      ],
    });
    run.signal('cancel', { by: USER });
    expect(run.run.status).toBe('canceled');
    return run;
  };

  test.each<[string, ApprovalPolicy, JsonObject, boolean]>([
    ['is bypassed by an approver if the policy names nobody', {}, APPROVER, true],
    ['is not bypassed by other people', {}, USER, false],
    ['is bypassed by a person whom the policy names', { users: ['uma'] }, USER, true],
    ['is not bypassed by a single person if two are required', { quorum: 2 }, APPROVER, false],
  ])('an approval that was withdrawn because its run was canceled %s', (...[, policy, by, isTaken]) => {
    const run = canceled(policy);
    run.reopen('edit', { asNode: 'triage', values: { amount: 50 }, by });
    expect(run.run.status).toBe(isTaken ? 'paused' : 'canceled');
  });
});

describe('an approval that was withdrawn by the deadline of its subgraph', () => {
  const late = (): MemoryRun => {
    const nodes = { ask: { type: 'approval', title: 'May I?' }, w: { type: 'wait', event: 'go' } } as const;
    const graph = aDefinition({ nodes, edges: [{ from: '__start__', to: ['ask', 'w'] }] });
    const sub = { type: 'subgraph', graph, deadline: '1h', onError: 'intervene' } as const;
    const run = startRun({ nodes: { sub, pay: { type: 'set', write: { log: 'paid' } } } });
    run.passTime(3_600_000);
    return run;
  };

  test.each<[string, JsonObject]>([
    ['skip', { output: null }],
    ['replan', { node: 'pay' }],
  ])(
    'an approval that was withdrawn by the deadline of its subgraph is bypassed by the control %s of an approver only',
    (signal, payload) => {
      const run = late();
      run.signal(signal, { ...payload, by: USER });
      expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver' });
      run.signal(signal, { ...payload, by: APPROVER });
      expect(run.run.status).toBe('completed');
    },
  );

  test('an approval that was withdrawn by the deadline of its subgraph does not prevent a retry or a failure of the node', () => {
    const run = late();
    run.signal('retry', { by: USER });
    expect(run.run.approvals['run-1.a2']?.status).toBe('pending');
    const other = late();
    other.signal('fail', { by: USER });
    expect(other.run.status).toBe('failed');
  });
});

describe('acting as an approval node', () => {
  test('an edit as an approval node is allowed to a person who may decide the approval', () => {
    const run = startRun({
      nodes: { ask: { type: 'approval', title: 'May I?' }, pay: { type: 'set', write: { log: 'paid' } } },
      interruptBefore: ['ask'],
    });
    run.signal('edit', { asNode: 'ask', values: {}, by: USER });
    expect(run.run.root.at).toMatchObject({ kind: 'before', triggers: [{ node: 'ask' }] });
    run.signal('edit', { asNode: 'ask', values: {}, by: APPROVER });
    expect(run.run.root.at).toMatchObject({ kind: 'ready', triggers: [{ node: 'pay' }] });
  });

  test('skipping an approval node after its rejection is allowed to a person who may decide the approval', () => {
    const run = startRun({
      nodes: { ask: { type: 'approval', title: 'May I?', onReject: 'fail', onError: 'intervene' } },
    });
    run.signal('reject', { by: APPROVER });
    run.signal('skip', { output: { decision: 'approved' }, by: USER });
    expect(run.run.status).toBe('waiting');
    run.signal('skip', { output: { decision: 'approved' }, by: APPROVER });
    expect(run.run.status).toBe('completed');
  });
});

test('a pause in the last superstep stops the run before it completes', () => {
  const run = startRun({ nodes: { ask: { type: 'approval', title: 'May I?' } } });
  run.signal('pause', { by: APPROVER });
  run.signal('approve', { by: APPROVER });
  expect(run.run.status).toBe('paused');
  run.signal('resume', { by: APPROVER });
  expect(run.run.status).toBe('completed');
});

describe('an edit as a node before a branch that counts messages', () => {
  const rejected = (): MemoryRun => {
    const run = startRun({
      channels: { messages: { reducer: 'messages' }, out: {}, log: { reducer: 'append' } },
      nodes: {
        ask: { type: 'approval', title: 'May I?', write: 'out' },
        x: { type: 'set', write: { log: 'x' } },
        pay: { type: 'set', write: { log: 'paid' } },
      },
      edges: [
        { from: '__start__', to: 'ask' },
        { from: 'ask', branches: [{ when: "state.out.decision == 'approved'", to: 'x' }, { to: '__end__' }] },
        { from: 'x', branches: [{ when: 'size(state.messages) >= 2', to: 'pay' }, { to: '__end__' }] },
      ],
    });
    run.signal('reject', { by: APPROVER });
    expect(run.run.status).toBe('completed');
    return run;
  };
  const messages = ['one', 'two'].map((content) => ({ role: 'user', content }));

  test.each<[string, readonly JsonObject[], JsonObject, string]>([
    ['is refused if its messages lead past the approval', messages, USER, 'completed'],
    ['is accepted from an approver', messages, APPROVER, 'paused'],
    ['is accepted if its messages lead to the end', messages.slice(1), USER, 'completed'],
  ])('an edit as a node before a branch that counts messages %s', (...[, given, by, status]) => {
    const run = rejected();
    run.reopen('edit', { asNode: 'x', values: { messages: given }, by });
    expect(run.run.status).toBe(status);
    const isTaken = by === APPROVER || given.length === 1;
    expect(run.run.root.channels['messages']).toHaveLength(isTaken ? given.length : 0);
  });

  test('an edit as a node before a branch is refused if the discarded superstep leads past the approval', () => {
    const run = startRun({
      nodes: {
        ask: { type: 'approval', title: 'May I?' },
        x: { type: 'wait', event: 'go' },
        pay: { type: 'set', write: { log: 'paid' } },
      },
      edges: [
        { from: '__start__', to: 'ask' },
        { from: 'ask', to: 'x' },
        { from: 'x', branches: [{ when: 'run.step >= 2', to: 'pay' }, { to: '__end__' }] },
      ],
    });
    run.signal('reject', { by: APPROVER });
    run.signal('edit', { asNode: 'x', values: {}, by: USER });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver' });
  });
});

test('a forEach edge to the end is not refused, because it bypasses no approval', () => {
  const run = startRun({
    nodes: { a: { type: 'set', write: { log: 'a' } } },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', forEach: '[1, 2]', to: '__end__' },
    ],
  });
  expect(run.run.status).toBe('completed');
});
