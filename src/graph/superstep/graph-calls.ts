import { emitTask, keyOfCall } from '../draft/frames.ts';
import type { Frame, TaskHandle } from '../draft/frames.ts';
import type { GraphCallResult } from '../nodes/behavior.ts';
import { leftAt } from '../run/countdown.ts';
import { batchOf, tasksIn } from '../run/position.ts';
import type { NodeTask, Scope } from '../run/scope.ts';

/** The times that graph calls have left of their deadlines, in milliseconds, by the calls' numbers. */
type TimesLeft = ReadonlyMap<NodeTask['index'], number>;

/** Returns the times left of the open graph calls in a scope. */
export function timesLeftIn({ draft, scope }: Frame): TimesLeft {
  const left = new Map<NodeTask['index'], number>();
  for (const { index, state } of tasksIn(scope)) {
    const countdown = state.phase === 'open' && state.position.kind === 'subgraph' ? state.position.countdown : undefined;
    if (countdown) left.set(index, leftAt(countdown, draft.now));
  }
  return left;
}

/** Returns the results of graph calls that have ended and that their task waits for. */
export function resultsInside(
  { task: { state } }: TaskHandle,
  inside: Scope,
  timesLeft: TimesLeft,
): readonly GraphCallResult[] {
  const calls = state.phase === 'open' ? batchOf(state.position) : [];
  const awaited = new Set<number | null>(calls.flatMap((call) => (call.state.phase === 'inside' ? [call.number] : [])));
  return tasksIn(inside).flatMap(({ index, state: ended }): readonly GraphCallResult[] => {
    if (index === null || !awaited.has(index)) return [];
    const call = { number: index, leftMs: timesLeft.get(index) ?? null };
    if (ended.phase === 'failed') return [{ kind: 'graph.failed', ...call, failure: ended.failure }];
    if (ended.phase !== 'completed' || ended.outcome.kind !== 'done') return [];
    return [{ kind: 'graph.finished', ...call, output: ended.outcome.result }];
  });
}

/** Records the end of a graph call. */
export function emitResult(handle: TaskHandle, result: GraphCallResult): void {
  const { state } = handle.task;
  const calls = state.phase === 'open' ? batchOf(state.position) : [];
  const call = calls.find(({ number }) => number === result.number);
  if (!call) return;
  const { draft } = handle;
  emitTask(handle, {
    type: 'tool.called',
    tool: call.tool,
    ...(result.kind === 'graph.finished' ? { result: result.output } : { error: result.failure.error }),
    attempts: 1,
    durationMs: draft.now - (call.begunAt ?? draft.now),
    idempotencyKey: keyOfCall(handle, call.number),
  });
}
