import { deepEqual } from '../values/compare-json.ts';
import type { Principal } from './principal.ts';
import type { Refusal } from './occurrence.ts';
import type { Run } from './run.ts';

/*
 * The editors of a run are its starter and the people who have changed its state or its course. A tool's roles are
 * checked for each of them, and an approval that excludes its requester excludes all of them.
 */

/** The limit of editors besides the starter; nobody else may change the run. */
const MAX_EDITORS = 100;

type EditedRun = Pick<Run, 'createdBy' | 'shapedBy'>;

/** Returns all editors of a run, its starter first. */
export function editorsOf({ createdBy, shapedBy }: EditedRun): readonly Principal[] {
  return [createdBy, ...shapedBy];
}

/** Refuses a change by a person beyond the limit of editors. */
export function refuseEditor(run: EditedRun, by: Principal): Refusal | null {
  if (run.shapedBy.length < MAX_EDITORS || isKnownEditor(run, by)) return null;
  const message = `${MAX_EDITORS} people have changed the run, and no other may; fork it, or start a new one`;
  return { code: 'NOT_ALLOWED_NOW', message };
}

/** Returns a run's editors with a person added. The same subject with other roles counts as another person. */
export function withEditor(run: EditedRun, by: Principal): readonly Principal[] {
  const { sub, roles } = by;
  return isKnownEditor(run, by) ? run.shapedBy : [...run.shapedBy, { sub, roles }];
}

function isKnownEditor(run: EditedRun, by: Principal): boolean {
  return editorsOf(run).some(({ sub, roles }) => sub === by.sub && deepEqual(roles, by.roles));
}

/** Returns the editors whose roles differ from the starter's and from each other's. Only roles decide about tools. */
export function otherRolesOf({ createdBy, shapedBy }: EditedRun): readonly Principal[] {
  return shapedBy.filter(
    ({ roles }, at) =>
      !deepEqual(roles, createdBy.roles) && at === shapedBy.findIndex((one) => deepEqual(roles, one.roles)),
  );
}
