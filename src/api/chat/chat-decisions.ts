import { ulid } from 'ulid';
import type { Approval } from '../../graph/run/index.ts';
import type { AuditedAct } from '../../store/audit.ts';
import type { RunRecord } from '../../store/runs.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findApproval } from '../approvals/inbox.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { recordedAct } from '../http/recorded-act.ts';
import type { RecordAct } from '../http/recorded-act.ts';
import { hiddenFrom, redactApproval } from '../redaction.ts';
import type { ChatDecision } from './read-last-message.ts';
import { findRun } from '../runs/read-run.ts';

/** The decisions of a chat message, and the run that they belong to. */
export interface ChatDecisions {
  readonly run: RunRecord;
  /** Makes the decisions that were not made before. @throws ApiError as `decideApproval` does */
  readonly decide: (record: RecordAct) => Promise<void>;
}

/** Finds the run of decisions by their approval ids. @throws ApiError 404 unless all belong to one run of the thread */
export async function findDecisions(
  deps: ApiDeps,
  caller: Caller,
  threadId: string,
  decisions: readonly [ChatDecision, ...ChatDecision[]],
): Promise<ChatDecisions> {
  const found = await Promise.all(
    decisions.map(async (one) => ({ decision: one, approval: await findApproval(deps, caller, one.approvalId) })),
  );
  const [{ approvalId }] = decisions;
  const runId = found[0]?.approval.runId ?? '';
  const run = await findRun(deps, caller, runId);
  if (
    run.threadId !== threadId ||
    run.tenantId !== caller.tenantId ||
    found.some(({ approval }) => approval.runId !== runId)
  )
    throw new ApiError('UNKNOWN_APPROVAL', `This thread has no approval "${approvalId}"`);
  const hidden = hiddenFrom(caller, run);
  const open = found.flatMap(({ decision: one, approval }) => {
    const digest = one.digest ?? firstDigest(redactApproval(approval, hidden, deps.fingerprints));
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
 * Returns the digest for a client that sends none: that of the approval as first requested.
 * @returns `null` if earlier decisions may have changed the question
 */
function firstDigest({ decisions, digest }: Pick<Approval, 'decisions' | 'digest'>): string | null {
  return decisions.length === 0 ? digest : null;
}

/** A decision with the digest of what the person saw. */
type SeenDecision = ChatDecision & Required<Pick<ChatDecision, 'digest'>>;

function auditedActOf({ approvalId, isApproved }: ChatDecision): AuditedAct {
  return { action: isApproved ? 'approval.approve' : 'approval.reject', subject: approvalId };
}

/**
 * Error codes of decisions that have no effect and are ignored: a client repeats decisions until it receives their
 * result, and a question that has changed is sent to it again.
 */
const WITHOUT_EFFECT: ReadonlySet<ApiError['code']> = new Set(['ALREADY_DECIDED', 'APPROVAL_CHANGED']);

interface DecisionInChat {
  readonly run: RunRecord;
  readonly decision: SeenDecision;
  /** The time when the message was received (RFC 3339). */
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
      auditedActOf(decision),
      async () => await decideApproval(deps, caller, { run, attempt, wanted, at }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || !WITHOUT_EFFECT.has(error.code)) throw error;
  }
}
