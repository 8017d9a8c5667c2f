import { permissionsOf } from '../../../src/graph/definition/roles.ts';

/** A caller with the permission to read payloads. */
export const ADMIN = { permissions: permissionsOf(['admin']) };
