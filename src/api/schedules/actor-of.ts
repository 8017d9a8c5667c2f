import { permissionsOf } from '../../graph/definition/index.ts';
import type { Roles } from '../../graph/definition/index.ts';
import type { Schedule } from '../../store/schedules/schedule.ts';
import type { Caller } from '../http/authenticate.ts';

/**
 * The person as whom the runs of a schedule act: its owner, with the roles of then.
 * @param known what these permit now
 */
export function actorOf({ tenantId, owner, roles }: Schedule, known: Roles): Caller {
  return { tenantId, sub: owner, roles, permissions: permissionsOf(roles, known) };
}
