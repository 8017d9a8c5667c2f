/** The permissions of callers; roles are sets of them (specification, "Who may do what"). */
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

/** Those of whom one is enough to read graphs. */
export const GRAPH_READERS: readonly Permission[] = ['run:read', 'graph:publish'];

const ROLES: ReadonlyMap<string, readonly Permission[]> = new Map<string, readonly Permission[]>([
  ['user', ['graph:publish', 'run:start', 'run:read', 'run:control', 'state:edit', 'memory:write']],
  ['approver', ['run:read', 'approval:decide']],
  ['admin', PERMISSIONS],
]);

/** All permissions of some roles; an unknown role has none. */
export function permissionsOf(roles: readonly string[]): ReadonlySet<Permission> {
  return new Set(roles.flatMap((role) => ROLES.get(role) ?? []));
}
