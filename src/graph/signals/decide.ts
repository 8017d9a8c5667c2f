import { decide } from '../approval.ts';
import type { Approval, Decision, Verdict } from '../approval.ts';
import type { Draft } from '../draft.ts';
import { deliver, emitAt } from '../deliver.ts';
import { toPublicApproval } from '../events.ts';
import { own, toJson } from '../json.ts';
import { saveApproval } from '../tasks.ts';
import { refused, taken, textOf } from './signal.ts';
import type { Answer, SignalKind, SignalRequest } from './signal.ts';

/** `approve` and `reject`: a person's answer to a pending approval. */
export function decisionSignal(decision: Verdict['decision'], description: string): SignalKind {
  return {
    description,
    properties: { approvalId: { type: 'string' }, reason: { type: 'string' }, args: true, values: true },
    handle: (draft, request) => handle(draft, decision, request),
  };
}

function handle(draft: Draft, decision: Verdict['decision'], { payload, by }: SignalRequest): Answer {
  const found = findApproval(draft, textOf(payload, 'approvalId'));
  if ('taken' in found) return found;
  const verdict = {
    decision,
    by,
    at: draft.at,
    reason: textOf(payload, 'reason'),
    args: payload['args'],
    values: payload['values'],
  };
  const judgement = decide(found, verdict);
  if ('refusal' in judgement) return refused(judgement.refusal);
  record(draft, judgement.approval, judgement.decision);
  return taken(toJson(toPublicApproval(judgement.approval)));
}

function findApproval({ run }: Draft, id: string | undefined): Approval | Answer {
  if (id !== undefined) {
    const named = own(run.approvals, id);
    return named ?? refused({ code: 'UNKNOWN_APPROVAL', message: `This run has no approval "${id}"` });
  }
  const pending = Object.values(run.approvals).filter(({ status }) => status === 'pending');
  const [only] = pending;
  if (only && pending.length === 1) return only;
  if (!only) return refused({ code: 'UNKNOWN_APPROVAL', message: 'This run has no pending approval' });
  const ids = pending.map(({ id: pendingId, node }) => `${pendingId} (${node})`).join(', ');
  return refused({
    code: 'APPROVAL_ID_REQUIRED',
    message: `Several approvals are pending; name one by approvalId: ${ids}`,
  });
}

function record(draft: Draft, approval: Approval, made: Decision): void {
  saveApproval(draft, approval);
  const { by, decision, reason, args } = made;
  emitAt(draft, approval.task, {
    type: 'approval.decided',
    approvalId: approval.id,
    by,
    decision,
    reason,
    args,
    status: approval.status,
  });
  if (approval.status !== 'pending') deliver(draft, approval.task, { kind: 'approval.closed', approval });
}
