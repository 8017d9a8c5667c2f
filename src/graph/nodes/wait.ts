import { parseDuration } from '../values/duration.ts';
import type { NodeOfType } from '../definition/definition.ts';
import { GraphError } from '../values/errors.ts';
import { toText } from '../values/text.ts';
import type { Json } from '../values/json.ts';
import { formatTimestamp, parseTimestamp } from '../values/timestamp.ts';
import { field } from './node-settings.ts';
import { deadlineExceeded } from './node-deadline.ts';
import { done, unexpected } from './behavior.ts';
import type { NodeBehavior, Progress, TaskContext } from './behavior.ts';

/** Waits for time to pass, for a moment, or for an event, whose payload is the result; `null` when it does not come. */
export function compileWait(node: NodeOfType<'wait'>): NodeBehavior {
  const start = startOf(node);
  return {
    start,
    resume(task, position, happening) {
      if (position.kind !== 'wait') throw unexpected(position);
      if (happening.kind === 'timer') return happening.id === position.timerId ? done(null) : deadlineExceeded(node);
      if (happening.kind !== 'event') throw unexpected(position);
      if (position.timerId !== null) task.cancelTimer(position.timerId);
      return done(happening.payload);
    },
  };
}

function startOf({ for: span, until, event, timeout }: NodeOfType<'wait'>): NodeBehavior['start'] {
  if (event !== undefined) return waitForEvent(event, timeout);
  const moment = field(until === undefined ? 'for' : 'until', until ?? span, '');
  const toMoment = until === undefined ? momentAfter : momentOf;
  return (task) => waitUntil(task, toMoment(moment.fill(task.bindings), task.now));
}

function waitForEvent(event: string, timeout: string | undefined): NodeBehavior['start'] {
  const name = field('event', event, '');
  return (task) => {
    const wanted = toText(name.fill(task.bindings));
    const kept = task.takeEvent(wanted);
    if (kept !== undefined) return done(kept);
    return open(task, wanted, timeout === undefined ? null : momentAfter(timeout, task.now));
  };
}

function waitUntil(task: TaskContext, moment: number): Progress {
  return moment <= task.now ? done(null) : open(task, null, moment);
}

function open(task: TaskContext, event: string | null, moment: number | null): Progress {
  const timerId = moment === null ? null : task.startTimer(moment);
  const deadline = moment === null ? null : formatTimestamp(moment);
  return { kind: 'open', position: { kind: 'wait', event, timerId, since: formatTimestamp(task.now), deadline } };
}

function momentAfter(span: Json, now: number): number {
  const ms = typeof span === 'string' ? parseDuration(span) : null;
  if (ms === null)
    throw new GraphError('EXPRESSION_FAILED', `for: ${JSON.stringify(span)} is no duration such as "30s"`);
  return now + ms;
}

function momentOf(time: Json): number {
  const moment = typeof time === 'string' ? parseTimestamp(time) : null;
  if (moment !== null) return moment;
  throw new GraphError('EXPRESSION_FAILED', `until: ${JSON.stringify(time)} is no RFC 3339 timestamp`);
}
