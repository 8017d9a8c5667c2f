import type { Principal } from '../principal.ts';
import type { Refusal } from '../refusal.ts';

/** The roles that decide if a policy names no roles and users (specification, "Who may do what"). */
const DECIDERS: ReadonlySet<string> = new Set(['approver', 'admin']);

/** Checks a person whom no policy names. @returns `null` if a role of theirs decides */
export function refuseUnnamed({ roles }: Principal): Refusal | null {
  if (roles.some((role) => DECIDERS.has(role))) return null;
  return { code: 'NOT_AN_APPROVER', message: 'Only an approver may decide this approval' };
}
