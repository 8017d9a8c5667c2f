/** The permissions of callers (docs/security.md). */
export const PERMISSIONS = [
  'graph:publish',
  'run:start',
  'run:read',
  'run:control',
  'state:edit',
  'approval:decide',
  'payload:read',
  'memory:write',
  'admin',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The permissions that each role grants. */
export type Roles = ReadonlyMap<string, readonly Permission[]>;

/** The roles of an installation whose configuration has none. */
export const BUILT_IN_ROLES: Roles = new Map<string, readonly Permission[]>([
  ['user', ['graph:publish', 'run:start', 'run:read', 'run:control', 'state:edit', 'memory:write']],
  ['approver', ['run:read', 'approval:decide']],
  ['admin', PERMISSIONS],
]);

/** All permissions of some roles; an unknown role has none. */
export function permissionsOf(roles: readonly string[], known: Roles = BUILT_IN_ROLES): ReadonlySet<Permission> {
  return new Set(roles.flatMap((role) => known.get(role) ?? []));
}
