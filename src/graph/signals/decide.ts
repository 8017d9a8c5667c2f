import type { Draft } from '../draft/draft.ts';
import { findTask } from '../draft/frames.ts';
import { askedBy } from '../lifecycle/ask-to-compensate.ts';
import { finishAskedCompensation } from '../lifecycle/compensation.ts';
import { decide } from '../run/approvals/approval.ts';
import type { Approval, Decision, DecisionRequest } from '../run/approvals/approval.ts';
import { refuseShaping } from '../run/shapers.ts';
import { deliver } from '../superstep/deliver.ts';
import type { JsonObject } from '../values/json.ts';
import { formatTimestamp, parseTimestamp } from '../values/timestamp.ts';
import { emitOnApproval, findApproval, toResult } from './checks/on-approval.ts';
import { REASON, refused, taken, textOf, textsOf } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/**
 * Creates the signals `approve` and `reject`: a person's decision on a pending approval. `at` is the time at which it
 * was made, as the API says; one without counts as made when the run hears of it.
 */
export function decisionSignal(decision: DecisionRequest['decision'], description: string): SignalKind {
  return {
    description,
    properties: {
      approvalId: { type: 'string' },
      reason: REASON,
      args: true,
      values: true,
      digest: { type: ['string', 'array'], items: { type: 'string' } },
      at: { type: 'string' },
    },
    alsoTaken: 'asking',
    handle: (draft, request) => handleDecision(draft, decision, request),
  };
}

function handleDecision(draft: Draft, decision: DecisionRequest['decision'], { payload, by }: SignalRequest): Handled {
  const approval = findApproval(draft, payload);
  if ('code' in approval) return refused(approval);
  const at = timeOf(draft, approval, payload);
  if (at === null) return refused({ code: 'MALFORMED', message: '/at: must be a time as in RFC 3339' });
  const result = decide(approval, {
    decision,
    by,
    at,
    reason: textOf(payload, 'reason'),
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

/** The time of a decision. None is made before its question, nor after the run has heard of it. */
function timeOf({ now, timestamp }: Draft, { requestedAt }: Approval, payload: JsonObject): string | null {
  const text = textOf(payload, 'at');
  if (text === undefined) return timestamp;
  const said = parseTimestamp(text);
  return said === null ? null : formatTimestamp(Math.max(Math.min(said, now), Date.parse(requestedAt)));
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
