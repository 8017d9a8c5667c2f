import type { Draft } from '../../draft/draft.ts';
import { emitTaskAt } from '../../draft/frames.ts';
import type { TaskEventBody } from '../../journal/events.ts';
import { askedBy } from '../../lifecycle/ask-to-compensate.ts';
import { emitOfCompensation } from '../../lifecycle/compensation-events.ts';
import { approvalMeant } from '../../run/approvals/approval-meant.ts';
import type { Approval } from '../../run/approvals/approval.ts';
import { toPublicApproval } from '../../run/approvals/public-approval.ts';
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

/** Finds the approval that a signal means: the one that it names, or the run's first one. @returns the reason for a refusal */
export function findApproval({ run }: Draft, payload: JsonObject): Approval | Refusal {
  const known = { runId: run.id, approvals: Object.values(run.approvals), asked: run.counters.approval };
  return approvalMeant(known, textOf(payload, 'approvalId'));
}

/** Records an event about the task, or the compensation, that an approval is asked for. */
export function emitOnApproval(draft: Draft, approval: Approval, body: TaskEventBody): void {
  const asked = askedBy(draft, approval);
  if (asked) emitOfCompensation(draft, asked.compensation.task, body);
  else emitTaskAt(draft, approval.task, body);
}
