import type { Json } from '../../src/graph/values/json.ts';
import type { CallerTokens } from '../../src/dev/issuer.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { eventsOf } from '../support/readers/api-runs.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import type { RequestedAction } from './actions.ts';
import type { Plan } from './plans.ts';
import type { CallRecords } from './third-party.ts';

/** The information that people use before they act. */
export interface Reactions {
  readonly as: (caller: keyof CallerTokens) => ApiClient;
  readonly records: CallRecords;
  /** Resolves when the outcome of a lost worker's calls is certain: no suspended process may still continue. */
  readonly untilKnown: () => Promise<void>;
}

/** An action to take once. */
type Reaction = Omit<RequestedAction, 'runId'>;

interface Situation {
  readonly plan: Plan;
  readonly runId: string;
  /** A pending item of the run. */
  readonly waiting: Json;
}

type React = (deps: Reactions, situation: Situation) => Promise<readonly Reaction[]> | readonly Reaction[];

/** Returns the action of people for a pending item of a run. */
export async function reactionTo(deps: Reactions, situation: Situation): Promise<readonly Reaction[]> {
  const react = REACTIONS[textAt(situation.waiting, '/kind')];
  return react ? await react(deps, situation) : [];
}

const REACTIONS: Readonly<Record<string, React>> = {
  approval: (_, situation) => decideAs(situation),
  event: (_, situation) => sendEvents(situation),
  intervention: intervene,
};

function decideAs({ plan, waiting }: Situation): readonly Reaction[] {
  const approvalId = textAt(waiting, '/id');
  const says = (by: 'approver' | 'approver2', decision = plan.decision): Reaction => ({
    kind: decision,
    by,
    target: approvalId,
    body: { approvalId, reason: `${by} says so` },
  });
  switch (at(waiting, '/node')) {
    case 'hurry':
      return [];
    case 'both':
      return plan.decision === 'approve' ? [says('approver'), says('approver2')] : [says('approver')];
    case 'ask':
      if (plan.expected.status === 'waiting') return [];
      if (plan.expected.status === 'canceled')
        return [{ kind: 'cancel', by: 'user', target: 'run', body: { reason: 'never mind' } }];
      return [says('approver'), says('approver2', plan.decision === 'approve' ? 'reject' : 'approve')];
    default:
      return [says('approver')];
  }
}

const EVENTS = ['first', 'second', 'third'];

function sendEvents({ plan, waiting }: Situation): readonly Reaction[] {
  const send = (number: number): Reaction => ({
    kind: 'signal',
    by: 'user',
    target: `event ${number}`,
    body: { event: 'go', payload: number },
  });
  const due = EVENTS.indexOf(textAt(waiting, '/node')) + 1;
  return plan.isEarly ? EVENTS.map((_, index) => send(index + 1)) : [send(due)];
}

/** Handles a call with an unknown outcome: the records of the third party are certain once no attempt is open. */
async function intervene({ as, records, untilKnown }: Reactions, { runId, waiting }: Situation): Promise<Reaction[]> {
  const [id, node] = [textAt(waiting, '/id'), textAt(waiting, '/node')];
  const visit = Number(/:(\d+)/.exec(id)?.[1]);
  const events = await eventsOf(as('user'), runId, 'tool.requested');
  const asked = events.findLast((event) => at(event, '/node') === node && at(event, '/tool') === 'pay');
  if (!asked || at(asked, '/visit') !== visit) return [];
  const job = textAt(asked, '/args/job');
  await untilKnown();
  if (records.isBusyWith(job)) return [];
  const target = `${id} since ${textAt(waiting, '/since')}`;
  return records.done.has(job)
    ? [{ kind: 'skip', by: 'user', target, body: { id, output: { receipt: job } } }]
    : [{ kind: 'retry', by: 'user', target, body: { id } }];
}
