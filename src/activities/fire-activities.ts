import { ulid } from 'ulid';
import type { FireWorkflow } from '../store/schedules/schedule-fires.ts';
import type { Store } from '../store/store.ts';

/** The store operations of a fire's workflow. Histories record these names as activity types. */
export interface FireActivities {
  /**
   * Records that a schedule fires; the API starts its run.
   * @returns false when the workflow has nothing to wait for: the fire is already decided, or the schedule is deleted
   */
  openFire(fire: FireWorkflow): Promise<boolean>;
  /** Records that Temporal requests the run's cancellation; the API cancels the run as the owner of the schedule. */
  cancelFire(fire: FireWorkflow): Promise<void>;
}

export function createFireActivities({ store }: { readonly store: Store }): FireActivities {
  return {
    openFire: async (fire) => await store.scheduleFires.open(fire, ulid()),
    cancelFire: async (fire) => await store.scheduleFires.requestCancel(fire),
  };
}
