import { Cron as CronTimes } from 'croner';
import { DurationSchema } from '../../graph/schema/index.ts';
import { DURATION_PATTERN, parseDuration } from '../../graph/values/index.ts';
import { pageExample, GivenRecord, GivenTime, JsonRecord, listOf, NextCursor, RunLimits, Time } from './common.ts';
import { RunStatusSchema, ThreadId } from './run.ts';
import { z } from './zod.ts';

const NEW_SCHEDULE_EXAMPLE = {
  graph: 'order-summary@live',
  input: { number: 'A-1001' },
  cron: '30 6 * * MON-FRI',
  timeZone: 'Europe/Berlin',
  overlap: 'skip',
} as const;

const TICK_EXAMPLE = {
  at: '2026-11-24T05:30:00.000Z',
  kind: 'time',
  outcome: 'started',
  runId: '01M800DS5H3S0K45KZZAHT8S14',
  status: 'completed',
  code: null,
  message: null,
} as const;

export const SCHEDULE_EXAMPLE = {
  id: '01M7ZX3V9F6Q2C8T1N4B5D7E9G',
  ...NEW_SCHEDULE_EXAMPLE,
  every: null,
  paused: false,
  threadId: null,
  metadata: {},
  limits: {},
  nextTimes: ['25', '26', '27', '30'].map((day) => `2026-11-${day}T05:30:00.000Z`).concat('2026-12-01T05:30:00.000Z'),
  lastRuns: [TICK_EXAMPLE],
  owner: 'uma',
  createdAt: '2026-11-23T09:00:00.000Z',
  createdBy: 'uma',
  updatedAt: '2026-11-23T09:00:00.000Z',
  updatedBy: 'uma',
};

const YEAR_MS = 366 * 86_400_000;
const OVERLAPS = ['skip', 'buffer', 'allow', 'cancelOther'] as const;

/** False for dates that no calendar has, such as the 31st of February. Temporal judges expressions that can't be read here. */
function mayFire(expression: string): boolean {
  try {
    return new CronTimes(expression, { timezone: 'UTC', domAndDow: true }).nextRun() !== null;
  } catch {
    return true;
  }
}

const Cron = z
  .string()
  .max(255)
  .regex(/^[\dA-Za-z*,/-]+(?: [\dA-Za-z*,/-]+){4}$/, 'Five fields with a space between them are expected here')
  .refine(mayFire, 'There is no such time: this schedule would never fire')
  .openapi({ description: 'Minute, hour, day, month, day of the week; names such as `MON` are allowed' });

const Every = DurationSchema.refine((text) => {
  const ms = parseDuration(text);
  // An invalid duration is refused by another check.
  if (ms === null) return true;
  return ms >= 1_000 && ms <= YEAR_MS && ms % 1_000 === 0;
}, 'Whole seconds are expected here, from 1s to 366d').openapi({
  pattern: DURATION_PATTERN,
  description: 'The time between two runs, counted from 1970-01-01T00:00:00Z',
});

const TimeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][\w+/-]*$/, 'An IANA time zone is expected here, such as "Europe/Berlin"')
  .refine(isTimeZone, 'There is no such time zone')
  .openapi({ description: 'Of `cron`: the clock that it reads, its changes to and from summer time included' });

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const Overlap = z
  .enum(OVERLAPS)
  .openapi({ description: 'What a time does while a run of the schedule is not over; of `buffer`, one waits' });

const fields = {
  graph: z.string().min(1).max(255).openapi({ description: '`name`, `name@version` or `name@alias`' }),
  input: JsonRecord,
  overlap: Overlap,
  paused: z.boolean(),
  timeZone: TimeZone,
  threadId: ThreadId.nullable().openapi({ description: 'The conversation that each run goes on with' }),
  metadata: JsonRecord.openapi({ description: 'Of each run; `schedule` and `scheduledAt` are added' }),
  limits: RunLimits,
};

export const NewScheduleSchema = z
  .strictObject({
    graph: fields.graph,
    input: fields.input.default({}),
    cron: Cron.optional(),
    every: Every.optional(),
    timeZone: fields.timeZone.default('UTC'),
    overlap: fields.overlap.default('skip'),
    paused: fields.paused.default(false),
    threadId: fields.threadId.default(null),
    metadata: fields.metadata.default({}),
    limits: fields.limits.default({}),
  })
  .refine(({ cron, every }) => (cron === undefined) !== (every === undefined), {
    path: ['cron'],
    message: 'Either "cron" or "every" is expected here',
  })
  .openapi('NewSchedule', { example: NEW_SCHEDULE_EXAMPLE });

export const ScheduleChangeSchema = z
  .strictObject({
    graph: fields.graph.optional(),
    input: fields.input.optional(),
    cron: Cron.optional(),
    every: Every.optional(),
    timeZone: fields.timeZone.optional(),
    overlap: fields.overlap.optional(),
    paused: fields.paused.optional(),
    threadId: fields.threadId.optional(),
    metadata: fields.metadata.optional(),
    limits: fields.limits.optional(),
  })
  .refine(({ cron, every }) => cron === undefined || every === undefined, {
    path: ['every'],
    message: 'Either "cron" or "every" is expected here, not both',
  })
  .openapi('ScheduleChange', { example: { paused: true } });

export const TickSchema = z
  .object({
    at: Time,
    kind: z.enum(['time', 'trigger', 'backfill']),
    outcome: z.enum(['pending', 'started', 'skipped', 'failed']),
    runId: z.string().nullable().openapi({ description: 'The run that has started; null: there is none' }),
    status: RunStatusSchema.nullable(),
    code: z.string().nullable().openapi({ description: 'Why there is no run' }),
    message: z.string().nullable(),
  })
  .openapi('Tick', { example: TICK_EXAMPLE });

export const ScheduleSchema = z
  .object({
    id: z.string(),
    graph: z.string(),
    input: GivenRecord,
    cron: z.string().nullable(),
    every: z.string().nullable(),
    timeZone: z.string(),
    overlap: z.enum(OVERLAPS),
    paused: z.boolean(),
    threadId: z.string().nullable(),
    metadata: GivenRecord,
    limits: GivenRecord,
    nextTimes: listOf(Time)
      .nullable()
      .openapi({ description: 'The next five; null: Temporal does not say at the moment' }),
    lastRuns: listOf(TickSchema).openapi({ description: 'The last five times, the latest first' }),
    owner: z
      .string()
      .openapi({ description: 'Its runs act as this person, who has made it, or has changed what it does since' }),
    createdAt: Time,
    createdBy: z.string(),
    updatedAt: Time,
    updatedBy: z.string().openapi({ description: 'Who has changed or paused it last' }),
  })
  .openapi('Schedule', { example: SCHEDULE_EXAMPLE });

export const ScheduleListSchema = z
  .object({ items: listOf(ScheduleSchema), nextCursor: NextCursor })
  .openapi('ScheduleList', { example: pageExample(SCHEDULE_EXAMPLE) });

export const BackfillSchema = z
  .strictObject({ from: GivenTime, to: GivenTime })
  .refine(({ from, to }) => from <= to, { path: ['to'], message: 'A time after "from" is expected here' })
  .refine(({ to }) => Date.parse(to) <= Date.now(), { path: ['to'], message: 'A time that is over is expected here' })
  .openapi('Backfill', { example: { from: '2026-11-20T00:00:00Z', to: '2026-11-23T00:00:00Z' } });

export const BackfilledSchema = z
  .object({ times: listOf(Time) })
  .openapi('Backfilled', { example: { times: ['2026-11-20T05:30:00.000Z'] } });

export const NoFields = z.strictObject({}).openapi('NoFields', { example: {} });
