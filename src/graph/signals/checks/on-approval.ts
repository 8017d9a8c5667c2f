import type { Draft } from '../../draft/draft.ts';
import { emitTaskAt } from '../../draft/frames.ts';
import type { TaskEventBody } from '../../journal/events.ts';
import { askedBy } from '../../lifecycle/ask-to-compensate.ts';
import { emitOfCompensation } from '../../lifecycle/compensation-events.ts';
import { findPendingApproval } from '../../run/approvals/approval.ts';
import type { Approval } from '../../run/approvals/approval.ts';
import { toPublicApproval } from '../../run/approvals/public-approval.ts';
import { parseApprovalId } from '../../run/ids.ts';
import type { Refusal } from '../../run/refusal.ts';
import { jsonSize } from '../../values/json-size.ts';
import { toJson } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { textOf } from '../signal.ts';

/** Bytes of one result: a run keeps the results of its latest decisions for queries. */
const MAX_RESULT_BYTES = 10_000;

/** Returns an approval as the result of a signal; of one that is too large, its id and what has been done to it, counted. */
export function toResult(approval: Approval): Json {
  const whole = toJson(toPublicApproval(approval));
  if (jsonSize(whole) <= MAX_RESULT_BYTES) return whole;
  const { id, decisions, reassigned } = approval;
  return { id, decided: decisions.length, ...(reassigned !== undefined && { reassigned }) };
}

/** Finds the pending approval that a signal names, or the only one. @returns the reason for a refusal if there is none */
export function findApproval({ run }: Draft, payload: JsonObject): Approval | Refusal {
  const id = textOf(payload, 'approvalId');
  const found = findPendingApproval(Object.values(run.approvals), id);
  return 'code' in found ? (refuseDropped(run, id) ?? found) : found;
}

/** Refuses an approval that the run has dropped after it was closed; its number shows that it existed. */
function refuseDropped({ id: runId, counters }: Draft['run'], id = ''): Refusal | null {
  const parsed = parseApprovalId(id);
  const wasMade = parsed?.runId === runId && parsed.number <= counters.approval;
  return wasMade ? { code: 'ALREADY_DECIDED', message: `Approval "${id}" was closed before` } : null;
}

/** Records an event about the task, or the compensation, that an approval is asked for. */
export function emitOnApproval(draft: Draft, approval: Approval, body: TaskEventBody): void {
  const asked = askedBy(draft, approval);
  if (asked) emitOfCompensation(draft, asked.compensation.task, body);
  else emitTaskAt(draft, approval.task, body);
}
