import type { Reassignment } from 'holdfast/client';
import type { Draft } from '../../form/draft.ts';

/** Reads the names that people have written with commas between them. What is empty is left out; the API refuses nobody. */
export function toReassignment({ roles, users }: Draft): Reassignment {
  const named = { roles: namesIn(roles), users: namesIn(users) };
  return {
    ...(named.roles.length > 0 && { roles: named.roles }),
    ...(named.users.length > 0 && { users: named.users }),
  };
}

function namesIn(text: Draft[string] | undefined): string[] {
  return typeof text === 'string'
    ? text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : [];
}
