import type { NodeOfType } from '../definition/definition.ts';
import { parseDuration, formatTimestamp, parseTimestamp } from '../values/time.ts';
import { GraphError } from '../values/errors.ts';
import { toTemplateText } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { taskDone, unexpectedInput } from './behavior.ts';
import type { NodeBehavior, TaskProgress, TaskContext } from './behavior.ts';
import { deadlineExceeded, parseTemplatedField } from './node-settings.ts';

/**
 * Compiles a `wait` node. It waits for a time or for an event. The payload of the event is the result; `null` after a
 * timeout.
 */
export function compileWait(node: NodeOfType<'wait'>): NodeBehavior {
  return {
    start: compileStart(node),
    resume(task, position, input) {
      if (position.kind !== 'wait') throw unexpectedInput(position);
      if (input.kind === 'timer') return input.id === position.timerId ? taskDone(null) : deadlineExceeded(node);
      if (input.kind !== 'event') throw unexpectedInput(position);
      if (position.timerId !== null) task.cancelTimer(position.timerId);
      return taskDone(input.payload);
    },
  };
}

function compileStart({ for: duration, until, event, timeout }: NodeOfType<'wait'>): NodeBehavior['start'] {
  if (event !== undefined) return waitForEvent(event, timeout);
  const time = parseTemplatedField(until === undefined ? 'for' : 'until', until ?? duration, '');
  const toEpochMs = until === undefined ? afterDuration : readTimestamp;
  return (task) => waitUntil(task, toEpochMs(time.fill(task.bindings), task.now));
}

function waitForEvent(event: string, timeout: string | undefined): NodeBehavior['start'] {
  const name = parseTemplatedField('event', event, '');
  return (task) => {
    const eventName = toTemplateText(name.fill(task.bindings));
    const payload = task.takeEvent(eventName);
    if (payload !== undefined) return taskDone(payload);
    return startWaiting(task, eventName, timeout === undefined ? null : afterDuration(timeout, task.now));
  };
}

function waitUntil(task: TaskContext, fireAt: number): TaskProgress {
  return fireAt <= task.now ? taskDone(null) : startWaiting(task, null, fireAt);
}

function startWaiting(task: TaskContext, event: string | null, fireAt: number | null): TaskProgress {
  const timerId = fireAt === null ? null : task.startTimer(fireAt);
  const deadline = fireAt === null ? null : formatTimestamp(fireAt);
  return { kind: 'open', position: { kind: 'wait', event, timerId, since: formatTimestamp(task.now), deadline } };
}

function afterDuration(duration: Json, now: number): number {
  const ms = typeof duration === 'string' ? parseDuration(duration) : null;
  if (ms === null)
    throw new GraphError('EXPRESSION_FAILED', `for: ${JSON.stringify(duration)} is no duration such as "30s"`);
  return now + ms;
}

function readTimestamp(timestamp: Json): number {
  const epochMs = typeof timestamp === 'string' ? parseTimestamp(timestamp) : null;
  if (epochMs !== null) return epochMs;
  throw new GraphError('EXPRESSION_FAILED', `until: ${JSON.stringify(timestamp)} is no RFC 3339 timestamp`);
}
