import { expect, test } from 'vitest';
import { toPrincipal } from '../../../../src/api/http/authenticate.ts';
import { permissionsOf } from '../../../../src/graph/definition/roles.ts';
import type { Permission } from '../../../../src/graph/definition/roles.ts';

const known = new Map<string, readonly Permission[]>([
  ['user', ['run:start']],
  ['clerk', ['run:start']],
  ['lead', ['run:read', 'approval:decide']],
  ['approver', ['run:read']],
  ['boss', ['admin']],
  ['auditor', ['payload:read']],
]);

test.each([
  ['user', []],
  ['clerk', undefined],
  ['lead', ['run:read', 'approval:decide']],
  ['approver', ['run:read']],
  ['boss', ['admin']],
  ['auditor', ['payload:read']],
])('the recorded principal of the role %s lists the permissions that this role lacks by default: %j', (role, may) => {
  const caller = { tenantId: 'demo', sub: 'lea', roles: [role], permissions: permissionsOf([role], known) };
  expect(toPrincipal(caller)).toEqual({ sub: 'lea', roles: [role], ...(may && { may }) });
});
