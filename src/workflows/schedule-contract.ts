/** Names on which the workflow of schedules and the API agree. */
export const TICK_SCHEDULE = 'tickSchedule';

/** The input of the workflow that takes one time of a schedule. */
export interface TickInput {
  readonly tenantId: string;
  readonly scheduleId: string;
}

/** Temporal's id of a schedule. */
export function toScheduleId({ tenantId, scheduleId }: TickInput): string {
  return `schedule:${tenantId}:${scheduleId}`;
}

/** The id of the workflows of a schedule, to which Temporal adds the time. */
export function toTickId({ tenantId, scheduleId }: TickInput): string {
  return `tick:${tenantId}:${scheduleId}`;
}
