import { permissionsOf } from '../../../src/api/http/permissions.ts';

/** A caller who sees payloads. */
export const ADMIN = { permissions: permissionsOf(['admin']) };
