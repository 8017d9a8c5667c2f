/** What a caller may do; roles are sets of these (specification, "Who may do what"). */
const PERMISSIONS = [
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

const ROLES: ReadonlyMap<string, readonly Permission[]> = new Map<string, readonly Permission[]>([
  ['user', ['graph:publish', 'run:start', 'run:read', 'run:control', 'state:edit', 'memory:write']],
  ['approver', ['run:read', 'approval:decide']],
  ['admin', PERMISSIONS],
]);

/** What some roles grant together; a role that nobody knows grants nothing. */
export function permissionsOf(roles: readonly string[]): ReadonlySet<Permission> {
  return new Set(roles.flatMap((role) => ROLES.get(role) ?? []));
}
