import type { NewSchedule, Schedule, ScheduleChange } from 'holdfast/client';
import { diffRows } from '../../parts/diff-rows.ts';
import { isMembers } from '../../form/fields.ts';

type Members = Readonly<Record<string, unknown>>;

/** The initial value of the form of a schedule. */
export function toForm(schedule: Schedule): Members {
  const { graph, cron, every, timeZone, overlap, paused, input, threadId, metadata, limits } = schedule;
  return withoutEmpty({ graph, cron, every, timeZone, overlap, paused, input, threadId, metadata, limits });
}

/** Converts the form to a new schedule. The API validates it. */
export function toNewSchedule(value: unknown): NewSchedule {
  const { graph = '', ...given } = withoutEmpty(value);
  return { ...given, graph: String(graph) };
}

/** Converts the form to a change with only the fields that differ from the schedule. */
export function toChange(before: Schedule, value: unknown): ScheduleChange {
  const was = toForm(before);
  const now = withoutEmpty(value);
  const changed = Object.entries(now).filter(([name, member]) => diffRows(was[name], member).length > 0);
  const emptied = Object.keys(was).filter((name) => !(name in now));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(emptied.flatMap(emptyOf)) };
}

/** The values that clear fields. Setting one of `cron` and `every` clears the other. */
const EMPTY: Members = { input: {}, threadId: null, metadata: {}, limits: {} };

function emptyOf(name: string): readonly (readonly [string, unknown])[] {
  return name in EMPTY ? [[name, EMPTY[name]]] : [];
}

function withoutEmpty(value: unknown): Members {
  const entries = isMembers(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([, member]) => member !== null && member !== undefined));
}

/** Parses the two times of a backfill; without a zone they are in the person's. Other texts go to the API unchanged. */
export function readSpan(value: unknown): { readonly from: string; readonly to: string } {
  const { from, to } = isMembers(value) ? value : {};
  return { from: readTime(from), to: readTime(to) };
}

/** A date without a time means midnight in the person's zone. */
function readTime(given: unknown): string {
  const text = typeof given === 'string' ? given.trim() : '';
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

type Times = Pick<Schedule, 'cron' | 'every' | 'timeZone'>;

/** Formats the times at which a schedule starts runs. */
export function formatTimes({ cron, every, timeZone }: Times): string {
  return every === null ? `${cron ?? ''} in ${timeZone}` : `every ${every}`;
}
