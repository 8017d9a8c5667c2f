import type { Run } from '../../client/index.ts';
import { formatOrigin } from '../../wording/index.ts';

/** The words for each status of a run: of the present, and with the time of its beginning. */
const STATUS_WORDS: Readonly<Record<Run['status'], { readonly now: string; readonly since: string }>> = {
  queued: { now: 'is queued', since: 'has been queued since' },
  running: { now: 'is running', since: 'has been running since' },
  waiting: { now: 'waits', since: 'has been waiting since' },
  paused: { now: 'is paused', since: 'has been paused since' },
  completed: { now: 'has completed', since: 'completed at' },
  failed: { now: 'has failed', since: 'failed at' },
  canceled: { now: 'was canceled', since: 'was canceled at' },
};

/** Formats the status of a run, such as `R1 is paused`. */
export function formatStatus({ id, status }: Pick<Run, 'id' | 'status'>): string {
  return `${id} ${STATUS_WORDS[status].now}`;
}

/** Formats the status of a run with the time since when it holds, such as `R1 has been waiting since T`. */
export function formatStatusSince({ id, status }: Pick<Run, 'id' | 'status'>, since: string): string {
  return `${id} ${STATUS_WORDS[status].since} ${since}`;
}

/** Formats the status of a run with what it waits for, or why it has failed. */
export function formatOutcome(run: Pick<Run, 'id' | 'status' | 'waitingFor' | 'error'>): string {
  const awaited = run.waitingFor.map(
    ({ kind, node, id }) => `${AWAITED[kind]} at ${node}${id === undefined ? '' : ` (${id})`}`,
  );
  const waits = run.status === 'waiting' ? ' for' : ', and waits for';
  return [
    `Run ${formatStatus(run)}`,
    ...(awaited.length > 0 ? [`${waits} ${awaited.join(', ')}`] : []),
    ...(run.error ? [`: ${formatErrorWithCause(run.error)}${formatOrigin(run.error)}`] : []),
  ].join('');
}

const AWAITED: Readonly<Record<Run['waitingFor'][number]['kind'], string>> = {
  approval: 'a decision',
  event: 'an event',
  intervention: 'a person',
  timer: 'a time',
};

/** Formats an error with its cause, unless its own message already has the text of the cause. */
export function formatErrorWithCause({ code, message, cause }: NonNullable<Run['error']>): string {
  const addition = cause && !message.includes(cause.message) ? ` (${cause.message})` : '';
  return `${code} ${message}${addition}`;
}

/** Formats the number of a superstep as a column of four characters; before the first one, it has none. */
export function formatStep(step: number): string {
  return (step < 0 ? '-' : String(step)).padStart(4);
}
