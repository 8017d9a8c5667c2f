import type { Draft } from '../draft/draft.ts';
import { findTask, emitTaskAt } from '../draft/frames.ts';
import { compensationOfApproval, finishAskedCompensation, emitOfCompensation } from '../lifecycle/compensation.ts';
import { applyDecision, toPublicApproval } from '../run/approval.ts';
import type { Approval, Decision, DecisionRequest } from '../run/approval.ts';
import { refuseEditor } from '../run/editors.ts';
import { deliverInput } from '../superstep/deliver.ts';
import { toJson } from '../values/to-json.ts';
import type { JsonObject, Json } from '../values/json.ts';
import { formatTimestamp, parseTimestamp } from '../values/time.ts';
import { REASON, refuseSignal, acceptSignal, textField, textsField } from './signal.ts';
import type { SignalOutcome, SignalKind, SignalRequest } from './signal.ts';
import type { TaskEventBody } from '../journal/events.ts';
import { approvalToDecide } from '../run/approval-to-decide.ts';
import type { Refusal } from '../run/occurrence.ts';
import { jsonSize } from '../values/json-size.ts';
import { applyReassignment } from '../run/reassign.ts';

/**
 * Creates the signals `approve` and `reject`: a person's decision on a pending approval. `at` is the time of the
 * decision as set by the API; without it, the time at which the run processes the signal counts.
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

function handleDecision(
  draft: Draft,
  decision: DecisionRequest['decision'],
  { payload, by }: SignalRequest,
): SignalOutcome {
  const approval = findApproval(draft, payload);
  if ('code' in approval) return refuseSignal(approval);
  const at = timeOfDecision(draft, approval, payload);
  if (at === null) return refuseSignal({ code: 'MALFORMED', message: '/at: must be a time as in RFC 3339' });
  const result = applyDecision(approval, {
    decision,
    by,
    at,
    reason: textField(payload, 'reason'),
    args: payload['args'],
    values: payload['values'],
    digests: textsField(payload, 'digest'),
  });
  if ('refusal' in result) return refuseSignal(result.refusal);
  const isEdit = payload['args'] !== undefined || payload['values'] !== undefined;
  const refusal = isEdit ? refuseEditor(draft.run, by) : null;
  if (refusal) return refuseSignal(refusal);
  if (isEdit) draft.addEditor(by);
  recordDecision(draft, result.approval, result.decision);
  return acceptSignal(toSignalResult(result.approval));
}

/** Returns the time of a decision, which is never before its request and never after the run processes it. */
function timeOfDecision({ now, timestamp }: Draft, { requestedAt }: Approval, payload: JsonObject): string | null {
  const text = textField(payload, 'at');
  if (text === undefined) return timestamp;
  const time = parseTimestamp(text);
  return time === null ? null : formatTimestamp(Math.max(Math.min(time, now), Date.parse(requestedAt)));
}

function recordDecision(draft: Draft, approval: Approval, made: Decision): void {
  draft.saveApproval(approval);
  const { by, decision, reason, args } = made;
  const { id: approvalId, status } = approval;
  const body = { type: 'approval.decided', approvalId, by, decision, reason, args, status } as const;
  emitOnApproval(draft, approval, body);
  if (status === 'pending') return;
  const asked = compensationOfApproval(draft, approval);
  if (asked) finishAskedCompensation(draft, asked, approval);
  else deliverInput(findTask(draft, approval.task), { kind: 'approval.closed', approval });
}

/** Limit in bytes of one result, because a run keeps the results of its latest decisions for queries. */
const MAX_RESULT_BYTES = 10_000;

/**
 * Returns an approval as the result of a signal; if it is too large, only its id and the counts of its decisions and
 * edits.
 */
function toSignalResult(approval: Approval): Json {
  const whole = toJson(toPublicApproval(approval));
  if (jsonSize(whole) <= MAX_RESULT_BYTES) return whole;
  const { id, decisions, reassigned } = approval;
  return { id, decided: decisions.length, ...(reassigned !== undefined && { reassigned }) };
}

/**
 * Finds the approval that a signal refers to: the named one, or the run's first one.
 * @returns it, or the reason for a refusal
 */
function findApproval({ run }: Draft, payload: JsonObject): Approval | Refusal {
  const known = { runId: run.id, approvals: Object.values(run.approvals), asked: run.counters.approval };
  return approvalToDecide(known, textField(payload, 'approvalId'));
}

/** Records an event about the task or the compensation that requested an approval. */
function emitOnApproval(draft: Draft, approval: Approval, body: TaskEventBody): void {
  const asked = compensationOfApproval(draft, approval);
  if (asked) emitOfCompensation(draft, asked.compensation.task, body);
  else emitTaskAt(draft, approval.task, body);
}

/** Limits of the names in one reassignment: their number, and the length of each. */
const MAX_NEW_DECIDERS = 20;
const MAX_DECIDER_NAME = 255;

const DECIDERS_SCHEMA = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: MAX_DECIDER_NAME },
  maxItems: MAX_NEW_DECIDERS,
} as const;

/** Reassigns a pending approval to other people. Its content and the decisions so far stay. */
export const reassignSignal: SignalKind = {
  description: 'Give a pending approval to others: {"approvalId"?, "roles"?, "users"?}',
  properties: { approvalId: { type: 'string' }, roles: DECIDERS_SCHEMA, users: DECIDERS_SCHEMA },
  alsoTaken: 'asking',
  handle(draft, { payload, by }) {
    const approval = findApproval(draft, payload);
    if ('code' in approval) return refuseSignal(approval);
    const to = { roles: textsField(payload, 'roles') ?? [], users: textsField(payload, 'users') ?? [] };
    const result = applyReassignment(approval, { to, by, at: draft.timestamp });
    if ('refusal' in result) return refuseSignal(result.refusal);
    const { approval: changed } = result;
    draft.saveApproval(changed);
    const { roles = [], users = [] } = approval.policy;
    emitOnApproval(draft, changed, {
      type: 'approval.reassigned',
      approvalId: changed.id,
      by: by.sub,
      from: { roles, users },
      to,
    });
    return acceptSignal(toSignalResult(changed));
  },
};
