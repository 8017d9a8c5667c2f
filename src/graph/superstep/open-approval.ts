import { hasRoom } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import type { Question } from '../nodes/behavior.ts';
import { digestOf } from '../run/approvals/approval-digest.ts';
import { expire } from '../run/approvals/approval.ts';
import type { Approval } from '../run/approvals/approval.ts';
import { askedBefore } from '../run/approvals/asked-before.ts';
import { bytesOf, holdsTooMuch } from '../run/held-bytes.ts';
import { approvalId, approvalTimerId } from '../run/ids.ts';
import type { TaskPath } from '../run/ids.ts';
import type { Run } from '../run/run.ts';
import { shapersOf } from '../run/shapers.ts';
import { requireAllowedSize } from '../values/json-size.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/** The node that a question comes from. */
export interface Asker {
  readonly node: string;
  /** The task that waits for the decision; empty: the run's compensation does. */
  readonly taskPath: TaskPath;
  /** Names the timeout's timer for the Temporal Web UI. */
  readonly summary: string;
}

/**
 * Asks people a question, and starts the timer that ends it.
 * @throws GraphError `PAYLOAD_TOO_LARGE` when the question is too large
 */
export function openApproval(
  draft: Draft,
  { timeoutMs, ...question }: Question,
  { node, taskPath, summary }: Asker,
): Approval {
  const { run } = draft;
  requireAllowedSize('The question', question);
  if (!hasRoom(draft, bytesOf(question))) throw holdsTooMuch('The question');
  const id = approvalId({ runId: run.id, number: draft.increment('approval') });
  const fireAt = draft.now + timeoutMs;
  const shown = { ...question, details: withParent(run, question.details) };
  const asked = digestOf(question);
  const approval: Approval = {
    id,
    runId: run.id,
    node,
    ...shown,
    digest: shown.details === question.details ? asked : digestOf(shown),
    status: 'pending',
    decisions: [],
    previous: askedBefore(
      draft.closedApprovals,
      { task: taskPath, asked, tool: question.tool },
      run.parent?.closedApprovals,
    ),
    requestedBy: run.createdBy.sub,
    requesters: [...new Set(shapersOf(run).map(({ sub }) => sub))],
    requestedAt: draft.timestamp,
    expiresAt: new Date(fireAt).toISOString(),
    task: taskPath,
    asked,
  };
  if (!hasRoom(draft, bytesOf(approval))) throw holdsTooMuch('The question');
  draft.saveApproval(approval);
  draft.startTimer(approvalTimerId(id), { taskPath, fireAt, summary });
  return approval;
}

/** Closes a pending approval whose timeout is over. @returns the closed approval */
export function closeExpiredApproval(draft: Draft, id: string, status: Approval['status']): Approval {
  const pending = own(draft.run.approvals, id);
  if (!pending) throw new TypeError(`There is no approval "${id}"`);
  const approval = expire(pending, status);
  draft.saveApproval(approval);
  return approval;
}

/** The arguments of an approval that a timeout has closed, for its event, if people had proposed others. */
export function argsAsked({ args, askedArgs }: Approval): { readonly args?: Json } {
  return askedArgs === undefined ? {} : { args };
}

/** Shows deciders in a fork the parent's calls after the checkpoint, because the fork may repeat them. */
function withParent({ parent }: Pick<Run, 'parent'>, details: Json): Json {
  if (!parent || parent.callsSince.length === 0) return details;
  const { runId, callsSince } = parent;
  const parentRun = { runId, done: callsSince.map(({ node, tool, at }) => ({ node, tool, at })) };
  return isJsonObject(details) ? { ...details, parentRun } : { ...(details !== null && { details }), parentRun };
}
