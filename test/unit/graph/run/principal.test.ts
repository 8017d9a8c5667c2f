import { expect, test } from 'vitest';
import { hasPermission, mayCall } from '../../../../src/graph/run/principal.ts';
import type { RunPermission } from '../../../../src/graph/run/principal.ts';

test.each<[readonly string[], readonly RunPermission[] | undefined, readonly boolean[]]>([
  [['user'], undefined, [false, false]],
  [['approver'], undefined, [true, false]],
  [['user', 'admin'], undefined, [true, true]],
  [['lead'], undefined, [false, false]],
  [['lead'], ['approval:decide'], [true, false]],
  [['boss'], ['admin'], [false, true]],
  [['approver'], [], [false, false]],
])('%j, which may %j', (roles, may, granted) => {
  const person = { roles, ...(may && { may }) };
  expect([hasPermission(person, 'approval:decide'), hasPermission(person, 'admin')]).toEqual(granted);
});

test('a tool is called by its roles and by admins, whatever a role of that name would permit', () => {
  expect(mayCall({}, { roles: [] })).toBe(true);
  expect(mayCall({ roles: ['lead'] }, { roles: ['lead'] })).toBe(true);
  expect(mayCall({ roles: ['lead'] }, { roles: ['admin'] })).toBe(true);
  expect(mayCall({ roles: ['lead'] }, { roles: ['user'] })).toBe(false);
  expect(mayCall({ roles: [] }, { roles: ['user'] })).toBe(false);
});
