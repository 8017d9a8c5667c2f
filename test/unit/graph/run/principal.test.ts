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
])(
  'whether a principal with the roles %j and the permissions %j may decide approvals, and administrate',
  (roles, may, granted) => {
    const person = { roles, ...(may && { may }) };
    expect([hasPermission(person, 'approval:decide'), hasPermission(person, 'admin')]).toEqual(granted);
  },
);

test('a tool is available to its roles and to admins, whatever permissions a role of that name has', () => {
  expect(mayCall({}, { roles: [] })).toBe(true);
  expect(mayCall({ roles: ['lead'] }, { roles: ['lead'] })).toBe(true);
  expect(mayCall({ roles: ['lead'] }, { roles: ['admin'] })).toBe(true);
  expect(mayCall({ roles: ['lead'] }, { roles: ['user'] })).toBe(false);
  expect(mayCall({ roles: [] }, { roles: ['user'] })).toBe(false);
});

test('a tool with a permission is available to everyone who has it, in any role', () => {
  const save = { permission: 'memory:write' } as const;
  expect(mayCall(save, { roles: ['user'] })).toBe(true);
  expect(mayCall(save, { roles: ['approver'] })).toBe(false);
  expect(mayCall(save, { roles: ['clerk'], may: ['memory:write'] })).toBe(true);
  expect(mayCall(save, { roles: ['user'], may: [] })).toBe(false);
});
