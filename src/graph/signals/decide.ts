import { decide, toPublicApproval } from '../run/approval.ts';
import type { Approval, Decision, DecisionRequest } from '../run/approval.ts';
import { parseApprovalId } from '../run/ids.ts';
import type { Draft } from '../superstep/draft.ts';
import { deliver, emitAt } from '../superstep/deliver.ts';
import { findTask } from '../superstep/frames.ts';
import { jsonSize } from '../values/json-size.ts';
import { own, toJson } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import type { Refusal } from '../run/refusal.ts';
import { saveApproval } from '../superstep/approvals.ts';
import { refused, taken, textOf } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/** `approve` and `reject`: a person's answer to a pending approval. */
export function decisionSignal(decision: DecisionRequest['decision'], description: string): SignalKind {
  return {
    description,
    properties: { approvalId: { type: 'string' }, reason: { type: 'string' }, args: true, values: true },
    handle: (draft, request) => handle(draft, decision, request),
  };
}

function handle(draft: Draft, decision: DecisionRequest['decision'], { payload, by }: SignalRequest): Handled {
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
  return taken(said(judgement.approval));
}

/** In bytes: a run keeps the answers to its latest decisions, and gives them by query. */
const MAX_SAID = 10_000;

/** What who decides is told of the approval: its id, where all of it is too large. */
function said(approval: Approval): Json {
  const whole = toJson(toPublicApproval(approval));
  return jsonSize(whole) <= MAX_SAID ? whole : { id: approval.id };
}

function findApproval({ run }: Draft, id: string | undefined): Approval | Handled {
  if (id !== undefined) {
    const named = own(run.approvals, id);
    return named ?? refused(wasMade(run, id) ? closedBefore(id) : unknown(id));
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

/** Whether the run has had an approval of that id: it forgets those that were closed long ago. */
function wasMade({ id: runId, counters }: Draft['run'], id: string): boolean {
  const made = parseApprovalId(id);
  return made?.runId === runId && made.number <= counters.approval;
}

function closedBefore(id: string): Refusal {
  return { code: 'ALREADY_DECIDED', message: `Approval "${id}" was closed before` };
}

function unknown(id: string): Refusal {
  return { code: 'UNKNOWN_APPROVAL', message: `This run has no approval "${id}"` };
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
  if (approval.status !== 'pending') deliver(findTask(draft, approval.task), { kind: 'approval.closed', approval });
}
