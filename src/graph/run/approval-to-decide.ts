import { approvalId, approvalNumber, parseApprovalId } from './ids.ts';
import type { Refusal } from './occurrence.ts';
import { refusalByStatus } from './approval.ts';
import type { Approval } from './approval.ts';

/** The known approvals of a run: all pending ones, and some of the closed ones. */
export interface KnownApprovals {
  readonly runId: string;
  readonly approvals: readonly Approval[];
  /** The number of approvals that the run has requested. */
  readonly asked: number;
}

/** The pending approvals that a refusal names; a run may wait for thousands. */
export const MAX_NAMED_APPROVALS = 20;

/**
 * Returns the approval that a decision refers to: the named one, or else the first one that the run ever requested. A
 * decision without a name never applies to a later approval, which its sender may not have seen, and to none while
 * several are pending.
 */
export function approvalToDecide(known: KnownApprovals, id: string | undefined): Approval | Refusal {
  if (id === undefined) return firstApproval(known);
  return findKnownApproval(known, id) ?? refuseUnknown(known, id);
}

/** Returns the id of the first approval of a run, in the order of requests. */
export function firstApprovalId(runId: string): string {
  return approvalId({ runId, number: 1 });
}

function firstApproval(known: KnownApprovals): Approval | Refusal {
  const { runId, approvals, asked } = known;
  if (asked === 0) return { code: 'UNKNOWN_APPROVAL', message: 'This run has not asked for an approval' };
  const id = firstApprovalId(runId);
  const first = findKnownApproval(known, id);
  const pending = approvals
    .filter(({ status }) => status === 'pending')
    .toSorted((one, other) => approvalNumber(one.id) - approvalNumber(other.id));
  if (!first) return listPendingApprovals(refuseUnknown(known, id), pending);
  const closed = refusalByStatus(first);
  if (closed) return listPendingApprovals(closed, pending);
  if (pending.length === 1) return first;
  const message = `Several approvals are pending; name one by approvalId: ${approvalNames(pending)}`;
  return { code: 'APPROVAL_ID_REQUIRED', message, pending: idsOfApprovals(pending) };
}

/** Adds the pending approvals to a refusal about the first approval. */
function listPendingApprovals({ code, message }: Refusal, pending: readonly Approval[]): Refusal {
  const now = pending.length === 0 ? 'no other is pending now' : `pending now: ${approvalNames(pending)}`;
  const meant = 'A decision without approvalId means the first approval of the run';
  return { code, message: `${message}. ${meant}; ${now}`, pending: idsOfApprovals(pending) };
}

function findKnownApproval({ approvals }: KnownApprovals, id: string): Approval | undefined {
  return approvals.find((approval) => approval.id === id);
}

/** Refuses an unknown id. A run drops closed approvals, but the number of one proves that it existed. */
function refuseUnknown({ runId, asked }: KnownApprovals, id: string): Refusal {
  const parsed = parseApprovalId(id);
  if (parsed?.runId !== runId || parsed.number > asked)
    return { code: 'UNKNOWN_APPROVAL', message: `This run has no approval "${id}"` };
  return { code: 'ALREADY_DECIDED', message: `Approval "${id}" was closed before` };
}

/**
 * Returns how refusals name an approval. They never use its title, which may contain values that not everybody may see.
 */
export function approvalName({ id, node }: Pick<Approval, 'id' | 'node'>): string {
  return `${id} (${node})`;
}

function idsOfApprovals(pending: readonly Approval[]): readonly string[] {
  return pending.slice(0, MAX_NAMED_APPROVALS).map(({ id }) => id);
}

/** Names pending approvals, only the first of them because there may be thousands. */
export function approvalNames(pending: readonly Pick<Approval, 'id' | 'node'>[]): string {
  const names = pending.slice(0, MAX_NAMED_APPROVALS).map(approvalName);
  const more = pending.length - names.length;
  return names.join(', ') + (more > 0 ? ', and others' : '');
}
