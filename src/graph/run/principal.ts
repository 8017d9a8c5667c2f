import type { ToolEntry } from '../definition/catalog.ts';
import { permissionsOf } from '../definition/roles.ts';
import type { Permission } from '../definition/roles.ts';
import { isListOf, isObjectOf, isText, orAbsent } from '../values/guards.ts';

/** The role that may call every tool, independent of its permissions. */
const ADMIN = 'admin';

/** The permissions that are checked for the people of a run. */
export const RUN_PERMISSIONS = [
  'run:read',
  'approval:decide',
  'payload:read',
  'memory:write',
  'admin',
] as const satisfies readonly Permission[];

export type RunPermission = (typeof RUN_PERMISSIONS)[number];

/** The author of a request: the subject and roles of a token or a signal. */
export interface Principal {
  readonly sub: string;
  readonly roles: readonly string[];
  /** The permissions of the roles, if the configuration changes those of the built-in roles. */
  readonly may?: readonly RunPermission[];
}

/** Validates a principal from outside, such as the one of a stored run. */
export const isPrincipal = isObjectOf<Principal>({
  sub: isText,
  roles: isListOf(isText),
  may: orAbsent(isListOf(isRunPermission)),
});

function isRunPermission(value: unknown): value is RunPermission {
  return RUN_PERMISSIONS.some((permission) => permission === value);
}

/** True if a principal has a permission. */
export function hasPermission({ roles, may }: Omit<Principal, 'sub'>, permission: RunPermission): boolean {
  return may ? may.includes(permission) : permissionsOf(roles).has(permission);
}

/** True if a run of this principal may call a tool. A tool without a role and a permission is open to all. */
export function mayCall(
  { roles, permission }: Pick<ToolEntry, 'roles' | 'permission'>,
  principal: Omit<Principal, 'sub'>,
): boolean {
  if (permission !== undefined) return hasPermission(principal, permission);
  return !roles || [...roles, ADMIN].some((role) => principal.roles.includes(role));
}

/**
 * True if a run of this principal may read a stored file, by the rule of `GET /api/blobs/{id}`.
 * @param owner the subject who has stored the file
 */
export function mayReadFile(owner: string, principal: Principal): boolean {
  return owner === principal.sub || hasPermission(principal, 'payload:read');
}
