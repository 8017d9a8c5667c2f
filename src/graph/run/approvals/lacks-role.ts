import type { ApprovalPolicy } from '../../definition/node-types/approval.ts';
import type { Principal } from '../principal.ts';

/** The roles that decide if a policy names no roles and users (specification, "Who may do what"). */
const DECIDERS: ReadonlySet<string> = new Set(['approver', 'admin']);

/** True if a policy names nobody, and a person has no role that decides then. */
export function lacksRole({ roles, users }: ApprovalPolicy, by: Principal): boolean {
  return roles === undefined && users === undefined && !by.roles.some((role) => DECIDERS.has(role));
}
