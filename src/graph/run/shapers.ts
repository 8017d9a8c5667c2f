import { deepEqual } from '../values/json.ts';
import type { Principal } from './principal.ts';
import type { Refusal } from './occurrence.ts';
import type { Run } from './run.ts';

/*
 * The people who have shaped a run: its starter, and those who changed its state or its course. A tool asks its roles of
 * each of them, and an approval that excludes its requester excludes all of them.
 */

/** The number of principals besides the starter that a run remembers; no others may change it. */
const MAX_SHAPERS = 100;

type Shaped = Pick<Run, 'createdBy' | 'shapedBy'>;

/** Returns everyone who has shaped a run, its starter first. */
export function shapersOf({ createdBy, shapedBy }: Shaped): readonly Principal[] {
  return [createdBy, ...shapedBy];
}

/** Refuses a change by one person more than a run remembers. */
export function refuseShaping(run: Shaped, by: Principal): Refusal | null {
  if (run.shapedBy.length < MAX_SHAPERS || isKnown(run, by)) return null;
  const message = `${MAX_SHAPERS} people have changed the run, and no other may; fork it, or start a new one`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** Adds a person to those who have shaped a run. The same subject with other roles counts as another person. */
export function withShaper(run: Shaped, by: Principal): readonly Principal[] {
  const { sub, roles } = by;
  return isKnown(run, by) ? run.shapedBy : [...run.shapedBy, { sub, roles }];
}

function isKnown(run: Shaped, by: Principal): boolean {
  return shapersOf(run).some(({ sub, roles }) => sub === by.sub && deepEqual(roles, by.roles));
}

/** Returns those who shaped a run with other roles than its starter and each other; only roles decide about tools. */
export function otherRolesOf({ createdBy, shapedBy }: Shaped): readonly Principal[] {
  return shapedBy.filter(
    ({ roles }, at) =>
      !deepEqual(roles, createdBy.roles) && at === shapedBy.findIndex((one) => deepEqual(roles, one.roles)),
  );
}
