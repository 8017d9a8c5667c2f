import type { z } from 'zod';
import type {
  BackfillSchema,
  BackfilledSchema,
  NewScheduleSchema,
  ScheduleChangeSchema,
  ScheduleSchema,
  TickSchema,
} from '../api/schemas/schedule.ts';
import type { PageRequest } from './answers.ts';
import { createListing, toPath } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';

export type Schedule = z.output<typeof ScheduleSchema>;
export type NewSchedule = z.input<typeof NewScheduleSchema>;
export type ScheduleChange = z.input<typeof ScheduleChangeSchema>;
export type Tick = z.output<typeof TickSchema>;

/** Schedules, which start runs at given times. */
export interface Schedules {
  create(schedule: NewSchedule, options?: CallOptions): Promise<Schedule>;
  /** Lists schedules, newest first. */
  list(page?: PageRequest, options?: CallOptions): Listing<Schedule>;
  get(id: string, options?: CallOptions): Promise<Schedule>;
  /**
   * Changes the given fields. From then on its runs act as the caller, unless the schedule is only paused or resumed.
   */
  change(id: string, change: ScheduleChange, options?: CallOptions): Promise<Schedule>;
  /** Deletes a schedule; its runs continue. */
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Fires the schedule now. */
  trigger(id: string, options?: CallOptions): Promise<Tick>;
  /** Fires the schedule for past times in a range that have not fired. */
  backfill(
    id: string,
    span: z.input<typeof BackfillSchema>,
    options?: CallOptions,
  ): Promise<z.output<typeof BackfilledSchema>>;
}

export function createSchedules({ send }: Connection): Schedules {
  const at = (id: string): string => toPath`/api/schedules/${id}`;
  return {
    create: async (body, options) => await send.json({ method: 'POST', path: '/api/schedules', body }, options),
    list: (page, options) => createListing(send, { path: '/api/schedules', query: { ...page } }, options),
    get: async (id, options) => await send.json({ method: 'GET', path: at(id) }, options),
    change: async (id, body, options) => await send.json({ method: 'PATCH', path: at(id), body }, options),
    remove: async (id, options) => void (await send.response({ method: 'DELETE', path: at(id) }, options)),
    trigger: async (id, options) => await send.json({ method: 'POST', path: `${at(id)}/trigger`, body: {} }, options),
    backfill: async (id, body, options) =>
      await send.json({ method: 'POST', path: `${at(id)}/backfill`, body }, options),
  };
}
