import { approvalNumber, isSamePath } from './ids.ts';
import type { Approval, EarlierApproval } from './approval.ts';

/** The number of earlier approvals that an approval lists; the history has all of them. */
const MAX_EARLIER_APPROVALS = 20;

/** The number of closed approvals that a fork takes over: the latest ones. */
export const MAX_INHERITED = 200;

/** A closed approval with the fields that identify its question. */
export interface ClosedApproval extends EarlierApproval, QuestionIdentity {}

/** The identity of a question: the requesting task, the tool, and the digest of the original content. */
type QuestionIdentity = Pick<Approval, 'task' | 'tool' | 'asked'>;

type AskedQuestion = Omit<QuestionIdentity, 'tool'> & { readonly tool: string | undefined };

/**
 * Returns the closed approvals of a question, oldest first: those of the same task since its last yes. A task may
 * request approvals for several tool calls, so questions about calls are the same only if their content is the same.
 * @param closed those of the run, oldest first
 * @param inherited those of the runs that it was forked from, oldest first
 */
export function earlierApprovals(
  closed: readonly Approval[],
  question: AskedQuestion,
  inherited: readonly ClosedApproval[] = [],
): readonly EarlierApproval[] {
  const asksTheSame = (one: QuestionIdentity): boolean => isSameQuestion(one, question);
  const same = [...inherited.filter(asksTheSame), ...closed.filter(asksTheSame).map(toClosedApproval)];
  const sinceYes = same.slice(same.findLastIndex(({ status }) => status === 'approved') + 1);
  return sinceYes.slice(-MAX_EARLIER_APPROVALS).map(({ id, status, decisions }) => ({ id, status, decisions }));
}

function isSameQuestion({ task, tool, asked }: QuestionIdentity, question: AskedQuestion): boolean {
  return isSamePath(task, question.task) && tool === question.tool && (tool === undefined || asked === question.asked);
}

/**
 * Returns the closed approvals that a fork takes over from its parent, so that no rejection is lost.
 * @param closed those of the parent, in any order
 * @param inherited those that the parent has taken over itself
 */
export function approvalsToInherit(
  closed: readonly ClosedApproval[],
  inherited: readonly ClosedApproval[] = [],
): readonly ClosedApproval[] {
  const inOrder = closed.toSorted((one, other) => approvalNumber(one.id) - approvalNumber(other.id));
  return [...inherited, ...inOrder].slice(-MAX_INHERITED);
}

/** Returns only the closed approvals. */
export function closedApprovals(approvals: readonly Approval[]): readonly ClosedApproval[] {
  return approvals.filter(({ status }) => status !== 'pending').map(toClosedApproval);
}

function toClosedApproval({ id, status, decisions, task, asked, tool }: Approval): ClosedApproval {
  return {
    id,
    status,
    decisions: decisions.map(({ by, decision, reason, at }) => ({ by, decision, reason, at })),
    task,
    asked,
    ...(tool !== undefined && { tool }),
  };
}
