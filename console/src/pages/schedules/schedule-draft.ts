import type { NewSchedule, Schedule, ScheduleChange } from 'holdfast/client';
import { diffRows } from '../../parts/diff-rows.ts';
import { isMembers } from '../../form/fields-of.ts';

type Members = Readonly<Record<string, unknown>>;

/** What the form of a schedule begins with. */
export function toForm(schedule: Schedule): Members {
  const { graph, cron, every, timeZone, overlap, paused, input, threadId, metadata, limits } = schedule;
  return withoutNothing({ graph, cron, every, timeZone, overlap, paused, input, threadId, metadata, limits });
}

/** Reads the form as a new schedule. The API checks it. */
export function toNew(value: unknown): NewSchedule {
  const { graph = '', ...given } = withoutNothing(value);
  return { ...given, graph: String(graph) };
}

/** Reads the form as a change: what differs from the schedule as it was, and nothing else. */
export function toChange(before: Schedule, value: unknown): ScheduleChange {
  const was = toForm(before);
  const now = withoutNothing(value);
  const changed = Object.entries(now).filter(([name, member]) => diffRows(was[name], member).length > 0);
  const emptied = Object.keys(was).filter((name) => !(name in now));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(emptied.flatMap(emptyOf)) };
}

/** What stands for nothing, of fields that can be emptied. One of `cron` and `every` goes when the other comes. */
const EMPTY: Members = { input: {}, threadId: null, metadata: {}, limits: {} };

function emptyOf(name: string): readonly (readonly [string, unknown])[] {
  return name in EMPTY ? [[name, EMPTY[name]]] : [];
}

function withoutNothing(value: unknown): Members {
  const entries = isMembers(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([, member]) => member !== null && member !== undefined));
}

/** Reads two times as people write them, without a zone in their own. What is no time goes to the API as it is. */
export function readSpan(value: unknown): { readonly from: string; readonly to: string } {
  const { from, to } = isMembers(value) ? value : {};
  return { from: readTime(from), to: readTime(to) };
}

/** A date alone is its midnight in the zone of the person. */
function readTime(given: unknown): string {
  const text = typeof given === 'string' ? given.trim() : '';
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

type Times = Pick<Schedule, 'cron' | 'every' | 'timeZone'>;

/** Says when the runs of a schedule begin. */
export function formatTimes({ cron, every, timeZone }: Times): string {
  return every === null ? `${cron ?? ''} in ${timeZone}` : `every ${every}`;
}
