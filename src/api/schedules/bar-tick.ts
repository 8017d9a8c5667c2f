import type { Roles } from '../../graph/definition/index.ts';
import type { Schedule, TickKind, TickResult } from '../../store/schedules/schedule.ts';
import type { ApiError } from '../http/errors.ts';
import { actorOf } from './actor-of.ts';
import { resultOfRefusal } from './result-of-refusal.ts';

/** What may keep a schedule from starting runs besides its other runs. */
export interface Bars {
  /** What roles permit now. */
  readonly roles: Roles;
  /** Why no run of the schedule may begin at the moment; `null`: one may. */
  readonly refusal: ApiError | null;
}

/** Says what becomes of a tick that starts no run, whatever its schedule's other runs do. @returns `null`: it may start one */
export function barTick(schedule: Schedule, kind: TickKind, { roles, refusal }: Bars): TickResult | null {
  if (schedule.paused && kind === 'time')
    return { outcome: 'skipped', code: 'PAUSED', message: 'The schedule is paused' };
  return lackOfRights(schedule, kind, roles) ?? (refusal && resultOfRefusal(kind, refusal));
}

/** A backfill waits for its turn, so it cancels nothing. */
function lackOfRights(schedule: Schedule, kind: TickKind, roles: Roles): TickResult | null {
  const { sub, permissions } = actorOf(schedule, roles);
  const forbidden = (what: string): TickResult => ({
    outcome: 'failed',
    code: 'FORBIDDEN',
    message: `${sub}, as whom the schedule acts, may ${what} no runs`,
  });
  if (!permissions.has('run:start')) return forbidden('start');
  const cancels = schedule.overlap === 'cancelOther' && kind !== 'backfill';
  return cancels && !permissions.has('run:control') ? forbidden('cancel') : null;
}
