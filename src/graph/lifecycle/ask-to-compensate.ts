import type { Draft } from '../draft/draft.ts';
import { toolQuestion } from '../nodes/tool-calls/tool-question.ts';
import { toPublicApproval } from '../run/approvals/public-approval.ts';
import type { Approval } from '../run/approvals/approval.ts';
import type { AskedCompensation, CompensationCall } from '../run/compensation.ts';
import { approvalTimerId } from '../run/ids.ts';
import { openApproval } from '../superstep/open-approval.ts';
import { own } from '../values/json.ts';
import { emitOfCompensation, summaryOfCompensation } from './compensation-events.ts';

/*
 * A tool's rule for approvals holds for compensations, too: the run asks, and does not end before people have decided
 * or the approval has expired.
 */

/**
 * Asks people to approve a compensation.
 * @throws GraphError `PAYLOAD_TOO_LARGE` when the question is too large
 */
export function askToCompensate(draft: Draft, compensation: CompensationCall): void {
  const { task, request } = compensation;
  const { tools, defaults } = draft.graph.catalog;
  const entry = own(tools, request.tool);
  if (!entry) throw new TypeError(`The run has pinned no tool "${request.tool}"`);
  const call = { tool: request.tool, args: request.args, because: `It compensates the call of node ${task.node}` };
  const summary = summaryOfCompensation('approval timeout of compensation', task);
  const asker = { node: task.node, taskPath: [], summary };
  const approval = openApproval(draft, toolQuestion(call, entry, defaults), asker);
  emitOfCompensation(draft, task, { type: 'approval.requested', approval: toPublicApproval(approval) });
  draft.awaitPerson({ asked: { compensation, approvalId: approval.id }, unknown: null });
}

/** Returns the compensation that waits for an approval; `null` if none waits for this one. */
export function askedBy({ run }: Draft, { id }: Pick<Approval, 'id'>): AskedCompensation | null {
  const { asked } = run.compensation;
  return asked?.approvalId === id ? asked : null;
}

/** Returns the compensation whose approval a timer expires; `null` if it expires none. */
export function expiredBy({ run }: Draft, timerId: string): AskedCompensation | null {
  const { asked } = run.compensation;
  return asked && approvalTimerId(asked.approvalId) === timerId ? asked : null;
}
