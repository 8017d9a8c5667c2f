import { RUN_PERMISSIONS, hasPermission } from '../../graph/run/index.ts';
import type { Principal } from '../../graph/run/index.ts';
import type { Caller } from './authenticate.ts';

/**
 * Makes of a caller the person whom a run meets. A run knows the built-in roles only, so what others grant is said beside
 * their names.
 */
export function toPrincipal({ sub, roles, permissions }: Caller): Principal {
  const person = { sub, roles: [...roles] };
  const may = RUN_PERMISSIONS.filter((permission) => permissions.has(permission));
  const isKnown = RUN_PERMISSIONS.every((one) => hasPermission(person, one) === permissions.has(one));
  return isKnown ? person : { ...person, may };
}
