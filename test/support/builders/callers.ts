import { permissionsOf } from '../../../src/graph/definition/roles.ts';

/** A caller who sees payloads. */
export const ADMIN = { permissions: permissionsOf(['admin']) };
