import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import type { Action, ActionKind } from '../actions.ts';
import type { RunFacts } from './run-facts.ts';
import type { PlanResult } from '../customer.ts';
import type { Plan } from '../plans.ts';
import type { RunAccount } from '../../support/readers/run-accounts.ts';

/** Facts of chaos runs without violations. */

const OUTPUT = { receipts: ['job-1/pay', 'job-1/send'] };

/** A timestamp of the engine. */
export function timeAt(second: number): string {
  return `2026-01-02T03:04:${String(second).padStart(2, '0')}.678Z`;
}

/** Consecutive events, one per second, numbered from 1. */
export function numbered(events: readonly JsonObject[]): readonly JsonObject[] {
  return events.map((event, at) => ({ seq: at + 1, at: timeAt(at + 1), ...event }));
}

export function anAction(kind: ActionKind, over: Partial<Action> = {}): Action {
  return { kind, target: 'x', by: 'user', isAccepted: true, answer: '200 null', ...over };
}

function anAccount(events: readonly Json[], over: Partial<RunAccount> = {}): RunAccount {
  return {
    events,
    approvals: [{ id: 'a1', status: 'approved', requestedAt: timeAt(2), decidedAt: timeAt(3) }],
    values: { receipts: ['job-1/pay', 'job-1/send'] },
    next: [],
    checkpoint: { id: 'c9', step: 4 },
    view: { status: 'completed', step: 4, output: OUTPUT, startedAt: timeAt(1), endedAt: timeAt(9) },
    ...over,
  };
}

/** The events of the sound run, which include every action of people except cancellation. */
export const SAMPLE_EVENTS: readonly JsonObject[] = [
  { type: 'run.started' },
  { type: 'approval.requested', approvalId: 'a1' },
  { type: 'approval.decided', approvalId: 'a1', decision: 'approve' },
  { type: 'approval.decided', approvalId: 'a2', decision: 'reject' },
  { type: 'signal.received', name: 'go', payload: 1 },
  { type: 'run.retried', id: 'i1' },
  { type: 'tool.skipped', node: 'pay' },
  { type: 'node.skipped', node: 'send' },
  { type: 'run.completed' },
];

/** A run that has completed. */
export function soundFacts(): RunFacts {
  const events = numbered(SAMPLE_EVENTS);
  const actions = [
    anAction('approve'),
    anAction('reject'),
    anAction('approve', { isAccepted: false, answer: '409 "approval_decided"' }),
    anAction('signal'),
    anAction('retry'),
    anAction('skip'),
    anAction('skip', { target: 'y' }),
    anAction('cancel', { isAccepted: false, answer: '409 "run_ended"' }),
  ];
  return {
    story: { plan: aPlan({}), runId: 'r1', actions, failure: null },
    run: { status: 'completed', output: OUTPUT },
    events,
    rows: anAccount(events),
    workflow: anAccount(events),
    done: new Map([
      ['job-1/pay', 1],
      ['job-1/send', 1],
    ]),
  };
}

/** A run that was canceled before its first call. */
export function canceledFacts(): RunFacts {
  return factsOf('canceled', {
    happened: [{ type: 'run.started' }, { type: 'run.canceled' }],
    actions: [anAction('cancel')],
  });
}

/** A run that is expected to wait. */
export function waitingFacts(): RunFacts {
  return factsOf('waiting', { happened: [{ type: 'run.started' }, { type: 'approval.requested' }], actions: [] });
}

function factsOf(
  status: Plan['expected']['status'],
  { happened, actions }: { readonly happened: readonly JsonObject[] } & Pick<PlanResult, 'actions'>,
): RunFacts {
  const events = numbered(happened);
  const account = anAccount(events, { approvals: [], view: { status, startedAt: timeAt(1) } });
  return {
    story: { plan: aPlan({ status, jobs: [] }), runId: 'r1', actions, failure: null },
    run: { status, output: null },
    events,
    rows: account,
    workflow: account,
    done: new Map(),
  };
}

function aPlan(expected: Partial<Plan['expected']>): Plan {
  return {
    job: 'job-1',
    graph: 'mixed',
    begins: { kind: 'new' },
    input: { job: 'job-1' },
    decision: 'approve',
    isEarly: false,
    expected: { status: 'completed', jobs: ['job-1/pay', 'job-1/send'], output: OUTPUT, ...expected },
  };
}
