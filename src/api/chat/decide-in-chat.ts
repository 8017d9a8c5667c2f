import { ulid } from 'ulid';
import type { Approval } from '../../graph/run/index.ts';
import type { Act } from '../../store/audit/audit.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownApproval } from '../redaction/shown-approval.ts';
import { findRun } from '../runs/find-run.ts';
import type { SaidDecision } from './read-message.ts';

/** Decisions that a message of a chat holds, and the run that they are about. */
export interface ChatDecisions {
  readonly run: RunRecord;
  /** Makes the decisions that are not made yet. @throws ApiError as `decideApproval` */
  readonly decide: (record: RecordAct) => Promise<void>;
}

/** Finds the run of decisions by their approvals' ids alone. @throws ApiError 404 unless they are of one run of the thread */
export async function findDecisions(
  deps: ApiDeps,
  caller: Caller,
  { threadId, said }: { readonly threadId: string; readonly said: readonly [SaidDecision, ...SaidDecision[]] },
): Promise<ChatDecisions> {
  const found = await Promise.all(
    said.map(async (one) => ({ said: one, approval: await findApproval(deps, caller, one.approvalId) })),
  );
  const [{ approvalId }] = said;
  const runId = found[0]?.approval.runId ?? '';
  const run = await findRun(deps, caller, runId);
  if (
    run.threadId !== threadId ||
    run.tenantId !== caller.tenantId ||
    found.some(({ approval }) => approval.runId !== runId)
  )
    throw new ApiError('UNKNOWN_APPROVAL', `This thread has no approval "${approvalId}"`);
  const hidden = hiddenFrom(caller, run);
  const open = found.flatMap(({ said: one, approval }) => {
    const digest = one.digest ?? firstDigest(shownApproval(approval, hidden, deps.seals));
    return approval.status === 'pending' && digest !== null ? [{ ...one, digest }] : [];
  });
  return {
    run,
    async decide(record) {
      const at = new Date().toISOString();
      for (const decision of open) await decideOnce(deps, caller, { run, decision, at, record });
    },
  };
}

/**
 * The digest of what was shown to a client that does not say it: what the approval has asked first.
 * @returns `null` if that may have changed, as others have decided before
 */
function firstDigest({ decisions, digest }: Pick<Approval, 'decisions' | 'digest'>): string | null {
  return decisions.length === 0 ? digest : null;
}

/** A decision on what a person has seen. */
type SeenDecision = SaidDecision & Required<Pick<SaidDecision, 'digest'>>;

function toAct({ approvalId, isApproved }: SaidDecision): Act {
  return { action: isApproved ? 'approval.approve' : 'approval.reject', subject: approvalId };
}

/**
 * Codes of decisions that change nothing. A client repeats decisions until it is told what has become of them, and is
 * asked anew for what was shown to it in another form.
 */
const WITHOUT_EFFECT: ReadonlySet<ApiError['code']> = new Set(['ALREADY_DECIDED', 'APPROVAL_CHANGED']);

interface DecisionInChat {
  readonly run: RunRecord;
  readonly decision: SeenDecision;
  /** When the message came (RFC 3339). */
  readonly at: string;
  readonly record: RecordAct;
}

async function decideOnce(deps: ApiDeps, caller: Caller, { run, decision, at, record }: DecisionInChat): Promise<void> {
  const { approvalId, isApproved, reason, digest } = decision;
  const attempt = { id: ulid(), isRepetition: false };
  const wanted = { decision: isApproved ? 'approve' : 'reject', approvalId, reason, digest } as const;
  try {
    await recordedAct(
      record,
      toAct(decision),
      async () => await decideApproval(deps, caller, { run, attempt, wanted, at }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || !WITHOUT_EFFECT.has(error.code)) throw error;
  }
}
