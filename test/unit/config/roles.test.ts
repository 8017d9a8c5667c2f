import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { BUILT_IN_ROLES, PERMISSIONS, permissionsOf } from '../../../src/graph/definition/roles.ts';

test('a configuration without roles has the built-in roles', () => {
  expect(parseConfig('here', {}).roles).toEqual(BUILT_IN_ROLES);
});

test('configured roles are added to the built-in roles, or replace them', () => {
  const { roles } = parseConfig('here', { roles: { auditor: ['run:read', 'payload:read'], user: ['run:read'] } });
  expect([...roles.keys()].toSorted()).toEqual(['admin', 'approver', 'auditor', 'user']);
  expect(permissionsOf(['auditor'], roles)).toEqual(new Set(['run:read', 'payload:read']));
  expect(permissionsOf(['user'], roles)).toEqual(new Set(['run:read']));
  expect(permissionsOf(['approver'], roles)).toEqual(permissionsOf(['approver']));
  expect(permissionsOf(['admin'], roles)).toEqual(new Set(PERMISSIONS));
  expect(permissionsOf(['auditor', 'approver', 'nobody'], roles).size).toBe(3);
});

test('every unknown permission of a role is reported with a suggestion', () => {
  const roles = { auditor: ['run:rea', 'payload:read', 7], user: 'run:read', admin: ['run:read'] };
  const message = (): string => {
    try {
      parseConfig('here', { roles });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(message()).toMatch(/\/roles\/auditor\/0: there is no permission "run:rea".*did you mean "run:read"/is);
  expect(message()).toMatch(/\/roles\/auditor\/2: must be the name of a permission/);
  expect(message()).toMatch(/\/roles\/user: /);
});

test('a role without a name is refused', () => {
  expect(() => parseConfig('here', { roles: { '': [] } })).toThrow(/\/roles\/: a role must have a name/);
});

test('the role admin may lose all permissions but the permission admin', () => {
  expect(parseConfig('here', { roles: { admin: ['admin'] } }).roles.get('admin')).toEqual(['admin']);
  expect(() => parseConfig('here', { roles: { admin: ['run:read'] } })).toThrow(
    /\/roles\/admin: must keep the permission "admin"/,
  );
});
