import { ulid } from 'ulid';
import type { FireWorkflow } from '../store/schedules/schedule-fires.ts';
import type { Store } from '../store/store.ts';

/** What the workflow of a fire does in the store. Histories record these names as activity types. */
export interface FireActivities {
  /**
   * Records a time at which a schedule fires; the API starts its run.
   * @returns false when the workflow has nothing to wait for: the time is decided already, or the schedule is deleted
   */
  openFire(fire: FireWorkflow): Promise<boolean>;
  /** Records that Temporal wants the run to be canceled; the API cancels it as the owner of the schedule. */
  cancelFire(fire: FireWorkflow): Promise<void>;
}

export function createFireActivities({ store }: { readonly store: Store }): FireActivities {
  return {
    openFire: async (fire) => await store.scheduleFires.open(fire, ulid()),
    cancelFire: async (fire) => await store.scheduleFires.requestCancel(fire),
  };
}
