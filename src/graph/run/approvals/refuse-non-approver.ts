import { hasPermission } from '../principal.ts';
import type { Principal } from '../principal.ts';
import type { Refusal } from '../refusal.ts';

/**
 * Refuses a person without the permission to decide.
 * @returns `null`: they may decide an approval whose policy names nobody
 */
export function refuseNonApprover(by: Principal): Refusal | null {
  if (hasPermission(by, 'approval:decide')) return null;
  return { code: 'NOT_AN_APPROVER', message: 'Only an approver may decide this approval' };
}
