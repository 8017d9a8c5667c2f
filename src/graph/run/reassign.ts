import { hasPermission } from './principal.ts';
import type { Principal } from './principal.ts';
import type { Refusal } from './occurrence.ts';
import { decisionsThatCount, refuseDecider } from './approval.ts';
import type { Approval } from './approval.ts';

/** The people to whom an approval is reassigned. */
export interface Deciders {
  readonly roles: readonly string[];
  readonly users: readonly string[];
}

interface ReassignmentRequest {
  readonly to: Deciders;
  readonly by: Principal;
  /** RFC 3339. */
  readonly at: string;
}

/**
 * Reassigns a pending approval to other people. All other rules of its policy stay: the quorum, the required reason,
 * the exclusions and the escalation. A person who may decide it may reassign it. An admin may reassign it, but not to
 * themselves.
 * @returns the changed approval, or the reason for the refusal
 */
export function applyReassignment(
  approval: Approval,
  { to, by, at }: ReassignmentRequest,
): { readonly approval: Approval } | { readonly refusal: Refusal } {
  const { roles: _roles, users: _users, ...rules } = approval.policy;
  const { roles, users } = to;
  const policy = { ...rules, ...(roles.length > 0 && { roles }), ...(users.length > 0 && { users }) };
  const changed = { ...approval, policy, reassigned: (approval.reassigned ?? 0) + 1 };
  const refusal =
    refuseClosed(approval) ??
    refuseOthers(approval, { by, at }) ??
    refuseNobody(to) ??
    refuseTooFew(changed, to) ??
    refuseOneself(approval, changed, { by, at });
  return refusal ? { refusal } : { approval: changed };
}

function refuseClosed({ status }: Approval): Refusal | null {
  if (status === 'pending') return null;
  return { code: 'NOT_ALLOWED_NOW', message: `The approval is ${status}; only a pending one is given to others` };
}

function refuseOthers(approval: Approval, who: Pick<ReassignmentRequest, 'by' | 'at'>): Refusal | null {
  if (hasPermission(who.by, 'admin')) return null;
  return refuseDecider(approval, who);
}

function refuseNobody({ roles, users }: Deciders): Refusal | null {
  if (roles.length + users.length > 0) return null;
  const message = 'Name the roles or users who decide it now';
  return { code: 'MALFORMED', message, issues: [{ path: '/roles', message }] };
}

/**
 * Refuses fewer people than the quorum needs. Only policies with users alone are checked, because a role may have any
 * number of people.
 */
function refuseTooFew({ policy, requesters, decisions }: Approval, { roles, users }: Deciders): Refusal | null {
  const { quorum = 1, excludeRequester } = policy;
  if (roles.length > 0 || (policy.escalate ?? []).length > 0) return null;
  const made = new Set(decisionsThatCount(decisions).map((decision) => decision.by));
  const excluded = new Set(excludeRequester === true ? requesters : []);
  const able = new Set([...users.filter((user) => !excluded.has(user)), ...made]);
  if (able.size >= quorum) return null;
  const message = `The approval takes ${quorum} people, and ${able.size} of those who are named could decide it`;
  return { code: 'MALFORMED', message, issues: [{ path: '/users', message }] };
}

function refuseOneself(before: Approval, after: Approval, who: Pick<ReassignmentRequest, 'by' | 'at'>): Refusal | null {
  if (refuseDecider(before, who) === null || refuseDecider(after, who) !== null) return null;
  return {
    code: 'NOT_AN_APPROVER',
    message: 'Who may not decide an approval may not give it to themselves, nor to a role of theirs',
  };
}
