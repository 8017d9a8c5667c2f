import { formatTimestamp } from '../graph/values/index.ts';

/** Names on which the workflow of a fire and the API agree. */
export const FIRE_SCHEDULE = 'fireSchedule';

/** The signal that ends the workflow of a fire. */
export const FIRE_OVER = 'over';

/** The schedule that fires: the input of the workflow. */
export interface FireInput {
  readonly tenantId: string;
  readonly id: string;
}

/** Temporal's id of a schedule. */
export function toScheduleId({ tenantId, id }: FireInput): string {
  return `schedule:${tenantId}:${id}`;
}

/** The id of the workflows of a schedule, to which Temporal appends the time. */
export function toFireId({ tenantId, id }: FireInput): string {
  return `fire:${tenantId}:${id}`;
}

/** The id of the workflow of one fire, with the time that Temporal appends. */
export function toFireWorkflowId(schedule: FireInput, at: string): string {
  return `${toFireId(schedule)}-${toTemporalTime(at).replace('.000Z', 'Z')}`;
}

const SECOND_MS = 1_000;
const CENTURY = 100;
const TRIGGERS_SINCE_MS = Date.UTC(2100, 0, 1);

/** The time of a trigger within the second of a moment. The times of a schedule are whole seconds, so it is none of them. */
export function triggerTime(momentMs: number): string {
  return formatTimestamp(Math.floor(momentMs / SECOND_MS) * SECOND_MS + 1);
}

/** True for the time of a trigger. */
export function isTriggerTime(at: string): boolean {
  return Date.parse(at) % SECOND_MS !== 0;
}

/**
 * Returns the time in the workflow id of a fire. Temporal writes whole seconds there, so the time of a trigger is moved by
 * a hundred years, to the same day and time: its id never equals that of a planned fire in the same second.
 */
export function toTemporalTime(at: string): string {
  const ms = Date.parse(at);
  return formatTimestamp(isTriggerTime(at) ? inOtherYear(ms - (ms % SECOND_MS), CENTURY) : ms);
}

/** The time of a fire that Temporal names by another time. */
export function fromTemporalTime(ms: number): string {
  return ms < TRIGGERS_SINCE_MS ? formatTimestamp(ms) : triggerTime(inOtherYear(ms, -CENTURY));
}

function inOtherYear(ms: number, years: number): number {
  const date = new Date(ms);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
