import type { Draft } from '../draft/draft.ts';
import { findTask } from '../draft/frames.ts';
import { askedBy } from '../lifecycle/ask-to-compensate.ts';
import { finishAskedCompensation } from '../lifecycle/compensation.ts';
import { decide } from '../run/approvals/approval.ts';
import type { Approval, Decision, DecisionRequest } from '../run/approvals/approval.ts';
import { refuseShaping } from '../run/shapers.ts';
import { deliver } from '../superstep/deliver.ts';
import { emitOnApproval, findApproval, toResult } from './checks/on-approval.ts';
import { REASON, refused, taken, textOf, textsOf } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/** Creates the signals `approve` and `reject`: a person's decision on a pending approval. */
export function decisionSignal(decision: DecisionRequest['decision'], description: string): SignalKind {
  return {
    description,
    properties: {
      approvalId: { type: 'string' },
      reason: REASON,
      args: true,
      values: true,
      digest: { type: ['string', 'array'], items: { type: 'string' } },
    },
    alsoTaken: 'asking',
    handle: (draft, request) => handleDecision(draft, decision, request),
  };
}

function handleDecision(draft: Draft, decision: DecisionRequest['decision'], { payload, by }: SignalRequest): Handled {
  const approval = findApproval(draft, payload);
  if ('code' in approval) return refused(approval);
  const reason = textOf(payload, 'reason');
  const result = decide(approval, {
    decision,
    by,
    at: draft.timestamp,
    reason,
    args: payload['args'],
    values: payload['values'],
    digests: textsOf(payload, 'digest'),
  });
  if ('refusal' in result) return refused(result.refusal);
  const shapes = payload['args'] !== undefined || payload['values'] !== undefined;
  const refusal = shapes ? refuseShaping(draft.run, by) : null;
  if (refusal) return refused(refusal);
  if (shapes) draft.addShaper(by);
  recordDecision(draft, result.approval, result.decision);
  return taken(toResult(result.approval));
}

function recordDecision(draft: Draft, approval: Approval, made: Decision): void {
  draft.saveApproval(approval);
  const { by, decision, reason, args } = made;
  const { id: approvalId, status } = approval;
  const body = { type: 'approval.decided', approvalId, by, decision, reason, args, status } as const;
  emitOnApproval(draft, approval, body);
  if (status === 'pending') return;
  const asked = askedBy(draft, approval);
  if (asked) finishAskedCompensation(draft, asked, approval);
  else deliver(findTask(draft, approval.task), { kind: 'approval.closed', approval });
}
