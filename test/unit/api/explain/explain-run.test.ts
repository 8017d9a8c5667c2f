import { describe, expect, test } from 'vitest';
import { explainRun } from '../../../../src/api/explain/explain-run.ts';
import type { ExplanationFacts, VisibleRun } from '../../../../src/api/explain/reasons.ts';
import type { RetryObstacle } from '../../../../src/wording/next-actions.ts';
import { toPublicApproval } from '../../../../src/graph/run/approval.ts';
import { AT, LATER, anApproval } from '../../../support/builders/store-builders.ts';

const RUN: VisibleRun = {
  id: 'R',
  status: 'running',
  graph: { name: 'refund', version: 1, hash: 'h1' },
  threadId: null,
  parentRunId: null,
  forks: [],
  replayOf: null,
  divergence: null,
  step: 2,
  next: ['pay'],
  waitingFor: [],
  retrying: [],
  pending: null,
  input: {},
  output: null,
  error: null,
  usage: { inputTokens: 30, outputTokens: 20, costUsd: 0.3, modelCalls: 1, toolCalls: 2 },
  limits: {},
  metadata: {},
  createdBy: 'ann',
  createdAt: AT,
  startedAt: AT,
  endedAt: null,
  lastSeq: 0,
  workflowId: 'run:acme:R',
};

function explained(run: Partial<VisibleRun>, over: Partial<Omit<ExplanationFacts, 'run'>> = {}) {
  const rest = { isLive: true, failing: null, checkpoint: null, deadline: null, switchedOff: [], forking: true };
  const reader = { permissions: MAY_ALL, gatedForReader: NOTHING };
  const facts = { approvals: [], stopped: null, queue: null, obstacle: null, ...rest, ...reader };
  return explainRun({ ...facts, ...over, run: { ...RUN, ...run } });
}

const NOTHING: ReadonlySet<string> = new Set();
const MAY_ALL = new Set(['run:control', 'approval:decide', 'state:edit'] as const);
const UNKNOWN = { code: 'UNKNOWN_OUTCOME', message: 'lost', attempts: 1 } as const;
const CHARGE_OFF = { kind: 'tool', name: 'charge', reason: 'the gateway is down', since: LATER, calls: [] } as const;
const INTERVENTION = {
  kind: 'intervention',
  id: 'pay:1:1',
  node: 'pay',
  since: AT,
  args: null,
  idempotencyKey: null,
  error: UNKNOWN,
  choices: [
    { action: 'retry', effect: 'Makes the call again.' },
    { action: 'skip', effect: 'Goes on without it.' },
  ],
} as const;

describe('the summary of an explanation', () => {
  const down = { code: 'TOOL_FAILED', message: 'shop is down' } as const;
  const retrying = [{ node: 'pay', index: 1, attempt: 3, lastError: down, nextAttemptAt: LATER }];
  const stopped = { by: 'uma', reason: 'asked for twice', at: LATER };
  test.each<{
    what: string;
    run?: Partial<VisibleRun>;
    facts?: Partial<Omit<ExplanationFacts, 'run'>>;
    summary: string;
  }>([
    { what: 'is running', summary: 'The run is at work: pay.' },
    {
      what: 'has not begun',
      run: { startedAt: null },
      summary: 'No worker has begun the run yet: is one up, and does it reach the database?',
    },
    { what: 'has completed', run: { status: 'completed', endedAt: LATER }, summary: 'The run has completed.' },
    {
      what: 'has failed',
      run: { status: 'failed', endedAt: LATER, error: { ...down, node: 'pay', attempts: 5 } },
      summary: 'Node pay failed after 5 attempts: TOOL_FAILED shop is down.',
    },
    {
      what: 'was canceled',
      run: { status: 'canceled', endedAt: LATER },
      facts: { stopped },
      summary: 'The run was canceled by uma: asked for twice.',
    },
    {
      what: 'is paused',
      run: { status: 'paused' },
      facts: { stopped: { ...stopped, reason: null } },
      summary: 'The run was paused by uma.',
    },
    {
      what: 'retries a call',
      run: { retrying },
      summary: `Node pay[1] makes attempt 3 of a call at ${LATER}, after TOOL_FAILED shop is down.`,
    },
    {
      what: 'waits for a disabled tool',
      facts: {
        switchedOff: [{ ...CHARGE_OFF, isSure: true, nodes: ['pay', 'tip'] }],
      },
      summary:
        'Nodes pay, tip: calls of the tool charge wait until an administrator switches it on: the gateway is down.',
    },
    {
      what: 'waits with a call of a disabled tool',
      facts: { switchedOff: [{ ...CHARGE_OFF, isSure: true, nodes: ['pay'], calls: ['R:pay:1:0:0'] }] },
      summary:
        'Node pay: the call R:pay:1:0:0 of the tool charge waits until an administrator switches it on: the gateway is down.',
    },
    {
      what: 'waits with many calls of a disabled tool',
      facts: { switchedOff: [{ ...CHARGE_OFF, isSure: true, nodes: ['pay'], calls: ['A', 'B', 'C', 'D', 'E'] }] },
      summary:
        'Node pay: the calls A, B, C and 2 more of the tool charge wait until an administrator switches it on: the gateway is down.',
    },
    {
      what: 'may wait for a disabled model',
      facts: { switchedOff: [{ ...CHARGE_OFF, isSure: false, nodes: ['pay'] }] },
      summary:
        'Node pay may wait: calls of the tool charge wait until an administrator switches it on: the gateway is down.',
    },
    {
      what: 'is queued',
      run: { status: 'queued', threadId: 't', startedAt: null },
      facts: { queue: { aheadRunId: 'Q' } },
      summary: 'The run waits for its turn on the thread t: run Q is not over.',
    },
    {
      what: 'is not dispatched',
      run: { status: 'queued', startedAt: null, pending: { reason: 'connection refused', since: AT } },
      summary: 'Temporal does not have the run yet, and it is tried again: connection refused.',
    },
    {
      what: 'waits for a worker that is busy',
      facts: { failing: { by: 'queue' as const, message: null } },
      summary: 'The run waits for its turn at a worker that is busy with others, and goes on by itself.',
    },
    {
      what: 'ends its workflow process by lack of memory',
      facts: { failing: { by: 'machine' as const, message: null } },
      summary:
        'The machine of its worker has no time for the run, or has ended the process that was at it. It is tried again by itself.',
    },
    {
      what: 'fails by its code',
      facts: { failing: { by: 'code' as const, message: 'bad code' } },
      summary: "The run's workflow task fails, and the run is ended soon if it goes on to: bad code.",
    },
    {
      what: 'waits for an intervention',
      run: { status: 'waiting', waitingFor: [INTERVENTION] },
      summary: 'Node pay waits for a person to retry, skip or fail it: UNKNOWN_OUTCOME lost.',
    },
  ])('the explanation of a run that $what has a summary of one sentence', ({ run = {}, facts = {}, summary }) => {
    expect(explained(run, facts).summary).toBe(summary);
  });

  test('the summary of an explanation names the most important reason, and the number of the others', () => {
    const timer = { kind: 'timer', node: 'w', since: AT, deadline: LATER } as const;
    const explanation = explained(
      { status: 'paused', waitingFor: [timer], retrying },
      { failing: { by: 'temporal', message: null } },
    );
    expect(explanation.summary).toBe('The run was paused. (3 more)');
    expect(explanation.reasons.map(({ kind }) => kind)).toEqual(['paused', 'poisoned', 'timer', 'retrying']);
  });
});

describe('the deadline of an explanation', () => {
  test('the explanation of a run has the deadline with its time and effect, also while it is suspended', () => {
    expect(explained({}).deadline).toBeNull();
    const running = explained({}, { deadline: { at: LATER, leftMs: 60_000 } }).deadline;
    expect(running).toEqual({
      at: LATER,
      leftMs: 60_000,
      effect: expect.stringMatching(/^The run fails with DEADLINE_EXCEEDED/),
    });
    expect(running?.effect).toMatch(/If nothing was to be undone, a retry .* goes on; else only a fork does\.$/);
    const alone = explained({}, { deadline: { at: LATER, leftMs: 60_000 }, forking: false }).deadline;
    expect(alone?.effect).toMatch(/If nothing was to be undone, a retry .* goes on\.$/);
    const still = explained({}, { deadline: { at: null, leftMs: 30_000 } }).deadline;
    expect(still).toMatchObject({ at: null, leftMs: 30_000, effect: expect.stringContaining('stands still') });
  });
});

describe('the budget of an explanation', () => {
  test('the explanation of a run has the remaining amounts of its budget, never negative', () => {
    const { budget } = explained({ limits: { maxSteps: 25, maxTokens: 40, maxCostUsd: 0.4, maxConcurrency: 3 } });
    expect(budget).toEqual([
      { limit: 'maxSteps', allowed: 25, used: 3, left: 22 },
      { limit: 'maxTokens', allowed: 40, used: 50, left: 0 },
      { limit: 'maxCostUsd', allowed: 0.4, used: 0.3, left: 0.1 },
    ]);
  });
});

describe('the actions of an explanation', () => {
  const policy = { roles: ['lead'], users: ['ann'], quorum: 2, requireReason: true };
  const approval = toPublicApproval({ ...anApproval('R', 'pending'), policy, title: 'Go?' });
  const waiting = { kind: 'approval', node: 'ask', id: 'R.a1', since: AT, deadline: approval.expiresAt } as const;
  const ask = { status: 'waiting' as const, waitingFor: [waiting] };

  test.each([
    ['at a checkpoint', 'R.c3', '{"checkpoint":"R.c3"}', 'npx holdfast resume R --checkpoint R.c3'],
    ['before it has begun', null, '{}', 'npx holdfast resume R'],
  ])(
    'the action that resumes a run names the pause that it ends, of a run paused %s',
    (_where, checkpoint, body, holdfast) => {
      const { actions } = explained({ status: 'paused' }, { checkpoint });
      const command = actions.find(({ action }) => action === 'resume')?.command;
      expect(command).toMatchObject({ holdfast, temporal: expect.stringContaining(body) });
      expect(command?.curl).toContain(body);
    },
  );

  test('the actions in an explanation name who decides an approval, and the requests that do so', () => {
    const { summary, actions } = explained(ask, { approvals: [{ approval, isOwn: true }] });
    expect(summary).toBe(`Node ask waits until ${approval.expiresAt} for 2 people of lead or ann to decide: Go?`);
    expect(actions.map(({ action }) => action)).toEqual(['approve', 'reject', 'replan', 'pause', 'cancel']);
    expect(actions[0]).toMatchObject({
      who: '2 people of lead or ann',
      allowed: true,
      command: {
        holdfast: "npx holdfast approve R.a1 --reason '…'",
        temporal: `temporal workflow signal --workflow-id run:acme:R --name approve --input '{"approvalId":"R.a1","reason":"…"}'`,
      },
    });
  });

  test.each([
    ['the policy', { approvals: [{ approval, isOwn: false }] }],
    [
      'a missing permission',
      { approvals: [{ approval, isOwn: true }], permissions: new Set(['run:control'] as const) },
    ],
  ])('the actions in an explanation name who may take them if the reader may not, by %s', (_why, facts) => {
    const { actions } = explained(ask, facts);
    expect(actions.map(({ action, allowed }) => [action, allowed])).toEqual([
      ['approve', false],
      ['reject', false],
      ['replan', false],
      ['pause', true],
      ['cancel', true],
    ]);
  });

  test.each([
    { reader: 'a reader who decides it alone', rules: {}, isOwn: true, allowed: true },
    { reader: 'other readers', rules: {}, isOwn: false, allowed: false },
    { reader: 'a reader who decides it with others', rules: { quorum: 2 }, isOwn: true, allowed: false },
    { reader: 'a reader who decides it with a reason', rules: { requireReason: true }, isOwn: true, allowed: false },
  ])(
    'a replan may skip the node of an approval only if its reader decides the approval alone: $reader',
    ({ rules, isOwn, allowed }) => {
      const { actions } = explained(ask, { approvals: [{ approval: { ...approval, policy: rules }, isOwn }] });
      const who = expect.stringMatching(allowed ? /\(run:control\)$/ : /alone decides the approvals that wait$/);
      expect(actions.find(({ action }) => action === 'replan')).toMatchObject({ allowed, who });
    },
  );

  test('the actions in an explanation settle interventions and send events, quoted for a shell', () => {
    const event = { kind: 'event', node: 'w', id: "it's $(here)", since: AT } as const;
    const { actions } = explained({ status: 'waiting', waitingFor: [INTERVENTION, event] });
    expect(actions.map(({ command }) => command.holdfast)).toEqual([
      'npx holdfast retry R --id pay:1:1',
      'npx holdfast skip R --id pay:1:1 --output null',
      String.raw`npx holdfast signal R --event 'it'\''s $(here)'`,
      "npx holdfast replan R '…'",
      'npx holdfast pause R',
      'npx holdfast cancel R',
    ]);
    expect(actions[2]?.command.temporal).toContain('--name event ');
  });

  test('the explanation has no action for an event whose name is hidden', () => {
    const event = { kind: 'event', node: 'w', id: '[redacted]', since: AT } as const;
    expect(explained({ waitingFor: [event] }).actions.map(({ action }) => action)).not.toContain('signal');
  });

  test.each([
    ['its last checkpoint', 'R.c2', ['npx holdfast fork R --checkpoint R.c2']],
    ['nowhere without one', null, []],
  ])(
    'the explanation of a run that was ended without its last steps only offers a fork, from %s',
    (_, checkpoint, commands) => {
      const error = { code: 'ABORTED', message: 'Terminated in Temporal by somebody' } as const;
      const forkAt = checkpoint === null ? null : { runId: 'R', checkpoint };
      const facts = { isLive: false, obstacle: { kind: 'stateless', forkAt } } as const;
      const { actions } = explained({ status: 'failed', endedAt: LATER, error }, facts);
      expect(actions.map(({ command }) => command.holdfast)).toEqual(commands);
    },
  );

  test('the explanation of a failed run with compensated calls only offers a fork, to users who may edit states', () => {
    const error = { code: 'TOOL_FAILED', message: 'shop is down', node: 'pay' } as const;
    const failed = { status: 'failed', endedAt: LATER, error } as const;
    const obstacle = { kind: 'undone', forkAt: { runId: 'R', checkpoint: 'R.c2' } } as const;
    const { actions } = explained(failed, { isLive: false, obstacle });
    const { effect, command } = actions[0] ?? {};
    expect([effect, command?.holdfast]).toEqual([
      expect.stringContaining('before the calls that were undone'),
      'npx holdfast fork R --checkpoint R.c2',
    ]);
    expect(actions.map(({ action, allowed }) => [action, allowed])).toEqual([['fork', true]]);
    const permissions = new Set(['run:control'] as const);
    expect(explained(failed, { obstacle, permissions }).actions).toMatchObject([
      { action: 'fork', allowed: false, who: 'who may edit states (state:edit)' },
    ]);
  });

  test.each<[RetryObstacle, readonly string[]]>([
    ['stateless', []],
    ['undone', []],
    ['inherited', []],
    ['several-lost', ['skip', 'replan']],
  ])('an explanation offers no fork of a failed run (%s) where the installation refuses forks', (kind, offered) => {
    const error = { code: 'TOOL_FAILED', message: 'shop is down', node: 'pay' } as const;
    const obstacle = { kind, forkAt: { runId: 'R', checkpoint: 'R.c2' } } as const;
    const { actions } = explained({ status: 'failed', endedAt: LATER, error }, { obstacle, forking: false });
    expect(actions.map(({ action }) => action)).toEqual(offered);
  });

  test('the actions in an explanation name the node whose call of unknown outcome a person has abandoned', () => {
    const error = { ...UNKNOWN, node: 'pay' };
    const { actions } = explained({ status: 'failed', endedAt: LATER, error }, { isLive: false });
    expect(actions[0]).toMatchObject({
      action: 'retry',
      effect: expect.stringContaining('may have been made before'),
      command: { holdfast: 'npx holdfast retry R --node pay', curl: expect.stringContaining('{"node":"pay"}') },
    });
  });

  test.each<[string, Partial<VisibleRun>, string]>([
    ['that waits for a person', { status: 'waiting', waitingFor: [INTERVENTION] }, INTERVENTION.id],
    ['that has failed the run', { status: 'failed', endedAt: LATER, error: { ...UNKNOWN, node: 'pay' } }, 'pay'],
  ])('the explanation lets only users who decide its approvals skip a node %s', (_which, run, held) => {
    const { actions } = explained(run, { gatedForReader: new Set([held]) });
    const [retry, skip] = actions.filter(({ action }) => action === 'retry' || action === 'skip');
    expect([retry?.allowed, skip?.allowed]).toEqual([true, false]);
    expect(skip?.who).toBe('who may control runs (run:control) and alone decides the approvals of node pay');
  });

  test('the explanation of a run has no Temporal commands after its end, suggests higher limits when its budget is used up, and no actions when it completed', () => {
    const error = { code: 'BUDGET_EXCEEDED', message: 'no tokens left' } as const;
    const { actions } = explained({ status: 'failed', endedAt: LATER, error }, { isLive: false });
    expect(actions).toMatchObject([
      { action: 'retry', effect: expect.stringContaining('higher `limits`'), command: { temporal: null } },
      { action: 'replan', command: { temporal: null } },
    ]);
    expect(explained({ status: 'completed', endedAt: LATER }, { isLive: false }).actions).toEqual([]);
  });

  test('the explanation of a run that a node has failed also offers to continue without the node', () => {
    const error = { code: 'TOOL_FAILED', message: 'shop is down', node: 'pay' } as const;
    const { actions } = explained({ status: 'failed', endedAt: LATER, error }, { isLive: false });
    expect(actions.map(({ command }) => command.holdfast)).toEqual([
      'npx holdfast retry R',
      'npx holdfast skip R --node pay --output null',
      "npx holdfast replan R '…'",
    ]);
  });
});
