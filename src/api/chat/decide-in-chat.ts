import { ulid } from 'ulid';
import type { Act } from '../../store/audit/audit.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { findRun } from '../runs/find-run.ts';
import type { SaidDecision } from './read-message.ts';

/** Decisions that a message of a chat holds, and the run that they are about. */
export interface ChatDecisions {
  readonly run: RunRecord;
  /** Makes the decisions that are not made yet. @returns these, for the audit. @throws ApiError as `decideApproval` */
  readonly decide: () => Promise<readonly Act[]>;
}

/** Finds the run of decisions by their approvals' ids alone. @throws ApiError 404 unless they are of one run of the thread */
export async function findDecisions(
  deps: ApiDeps,
  caller: Caller,
  { threadId, said }: { readonly threadId: string; readonly said: readonly [SaidDecision, ...SaidDecision[]] },
): Promise<ChatDecisions> {
  const approvals = await Promise.all(said.map(async ({ approvalId }) => await findApproval(deps, caller, approvalId)));
  const [{ approvalId }] = said;
  const runId = approvals[0]?.runId ?? '';
  const run = await findRun(deps, caller, runId);
  if (run.threadId !== threadId || run.tenantId !== caller.tenantId || approvals.some((one) => one.runId !== runId))
    throw new ApiError('UNKNOWN_APPROVAL', `This thread has no approval "${approvalId}"`);
  const isPending = (id: string): boolean => approvals.some((one) => one.id === id && one.status === 'pending');
  return {
    run,
    async decide() {
      const open = said.filter(({ approvalId: id }) => isPending(id));
      for (const decision of open) await decideOnce(deps, caller, { run, decision });
      return open.map(toAct);
    },
  };
}

function toAct({ approvalId, isApproved }: SaidDecision): Act {
  return { action: isApproved ? 'approval.approve' : 'approval.reject', subject: approvalId };
}

/** Decides. A client repeats decisions until it is told what has become of them; a second one changes nothing. */
async function decideOnce(
  deps: ApiDeps,
  caller: Caller,
  { run, decision }: { readonly run: RunRecord; readonly decision: SaidDecision },
): Promise<void> {
  const { approvalId, isApproved, reason } = decision;
  const attempt = { id: ulid(), isRepetition: false };
  const wanted = { decision: isApproved ? 'approve' : 'reject', approvalId, reason } as const;
  try {
    await decideApproval(deps, caller, { run, attempt, wanted });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ALREADY_DECIDED') throw error;
  }
}
