import { ulid } from 'ulid';
import type { Store } from '../store/store.ts';

/** A time of a schedule that has come. */
export interface TickToTake {
  readonly tenantId: string;
  readonly scheduleId: string;
  /** The time that the schedule names, RFC 3339; the same for all attempts. */
  readonly at: string;
}

/** The engine's own work for schedules. Histories record its name as activity type. */
export interface ScheduleActivities {
  /** Takes a time once; the API decides what becomes of it. That of a deleted schedule is dropped. */
  takeTick(tick: TickToTake): Promise<void>;
}

export function createScheduleActivities({ store }: { readonly store: Store }): ScheduleActivities {
  return {
    takeTick: async ({ tenantId, scheduleId: id, at }) =>
      await store.scheduleTicks.take({ tenantId, id }, [{ at, kind: 'time', runId: ulid() }]),
  };
}
