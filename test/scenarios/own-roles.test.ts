import { expect, test } from 'vitest';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/* A run knows the built-in roles. The permissions of other roles are sent with the person. */

function ask(policy?: { readonly roles: readonly string[] }): MemoryRun {
  const node = { type: 'approval', title: 'Go?', ...(policy && { policy }), write: { log: 'gone' } } as const;
  return runInMemory({ definition: aDefinition({ nodes: { ask: node } }), catalog: aCatalog(), input: {} }, {});
}

const lastOf = ({ events }: MemoryRun) => events.at(-1);

test.each([
  ['a custom role with the permission to decide', { sub: 'lea', roles: ['lead'], may: ['approval:decide'] }],
  ['the built-in role approver', { sub: 'ada', roles: ['approver'] }],
])('a person who has %s decides an approval whose policy names nobody', (_what, by) => {
  const run = ask();
  run.signal('approve', { by });
  expect(lastOf(run)).toMatchObject({ type: 'run.completed' });
});

test.each([
  ['a custom role without permissions', { sub: 'lea', roles: ['lead'] }],
  ['a built-in role that has lost its permission', { sub: 'ada', roles: ['approver'], may: [] }],
  ['another permission', { sub: 'lea', roles: ['lead'], may: ['admin'] }],
])('a person who has %s does not decide an approval whose policy names nobody', (_what, by) => {
  const run = ask();
  run.signal('approve', { by });
  expect(lastOf(run)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver', by: by.sub });
});

test('an approval policy that names a role requires the role, whatever its permissions are', () => {
  const named = ask({ roles: ['lead'] });
  named.signal('approve', { by: { sub: 'bob', roles: ['other'], may: ['approval:decide'] } });
  expect(lastOf(named)).toMatchObject({ reason: 'not_an_approver' });
  named.signal('approve', { by: { sub: 'lea', roles: ['lead'] } });
  expect(lastOf(named)).toMatchObject({ type: 'run.completed' });
});

test('a person with the permissions of an admin may reassign an approval', () => {
  const run = ask({ roles: ['lead'] });
  run.signal('reassign', { by: { sub: 'rob', roles: ['root'] }, users: ['bob'] });
  expect(lastOf(run)).toMatchObject({ reason: 'not_an_approver' });
  run.signal('reassign', { by: { sub: 'rob', roles: ['root'], may: ['admin'] }, users: ['bob'] });
  expect(lastOf(run)).toMatchObject({ type: 'approval.reassigned', by: 'rob' });
});

test('a signal whose sender has an unknown permission is malformed', () => {
  const run = ask();
  run.signal('approve', { by: { sub: 'lea', roles: ['lead'], may: ['everything'] } });
  expect(lastOf(run)).toMatchObject({ type: 'signal.ignored', reason: 'malformed' });
});
