import { hasPermission } from '../principal.ts';
import type { Principal } from '../principal.ts';
import type { Refusal } from '../refusal.ts';

/** Checks a person whom no policy names. @returns `null` if they decide what names no roles and users */
export function refuseUnnamed(by: Principal): Refusal | null {
  if (hasPermission(by, 'approval:decide')) return null;
  return { code: 'NOT_AN_APPROVER', message: 'Only an approver may decide this approval' };
}
