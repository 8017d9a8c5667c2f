import { z } from 'zod';
import { BUILT_IN_ROLES, PERMISSIONS } from '../graph/definition/index.ts';
import type { Permission, Roles as RoleTable } from '../graph/definition/index.ts';
import { didYouMean } from '../graph/values/index.ts';

const PermissionName = z.enum(PERMISSIONS, {
  error: ({ input }) =>
    typeof input === 'string'
      ? `there is no permission "${input}"; known are ${PERMISSIONS.join(', ')}.${didYouMean(input, PERMISSIONS)}`
      : 'must be the name of a permission',
});

/** Roles beside the built-in ones, or in their place. The role `admin` may lose all permissions but its own. */
export const Roles = z
  .record(z.string(), z.array(PermissionName))
  .superRefine((given, context) => {
    const report = (role: string, message: string): void => context.addIssue({ code: 'custom', path: [role], message });
    if (Object.hasOwn(given, '')) report('', 'a role must have a name');
    if (given['admin']?.includes('admin') === false)
      report('admin', 'must keep the permission "admin": without it nobody administers the installation');
  })
  .transform(
    (given): RoleTable => new Map<string, readonly Permission[]>([...BUILT_IN_ROLES, ...Object.entries(given)]),
  );
