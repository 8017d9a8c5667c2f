import { ulid } from 'ulid';
import type { OpenedFire } from '../store/schedules/fire.ts';
import type { Store } from '../store/store.ts';

/** The activities for schedules. The names of the methods are activity types in recorded histories. */
export interface ScheduleActivities {
  /**
   * Records that the workflow of a fire is open, and whether Temporal has canceled it; the API starts or cancels the run.
   * @returns false when the workflow has nothing to wait for: the fire is closed, or its schedule is deleted
   */
  recordFire(fire: Omit<OpenedFire, 'runId'>): Promise<boolean>;
}

export function createScheduleActivities({ scheduleFires }: Pick<Store, 'scheduleFires'>): ScheduleActivities {
  return { recordFire: async (fire) => await scheduleFires.open({ ...fire, runId: ulid() }) };
}
