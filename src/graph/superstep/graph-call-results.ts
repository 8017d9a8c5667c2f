import { emitTask, keyOfCall } from '../draft/frames.ts';
import type { Frame, TaskHandle } from '../draft/frames.ts';
import type { GraphCallResult } from '../nodes/behavior.ts';
import { leftAt } from '../run/countdown.ts';
import { tasksIn } from '../run/scope-place.ts';
import type { NodePosition, NodeTask, SavedProgress, Scope, TaskState } from '../run/scope.ts';
import { batchOf } from '../run/task-position.ts';

/** The times that graph calls have left of their deadlines, in milliseconds, by the calls' numbers. */
type TimesLeft = ReadonlyMap<NodeTask['index'], number>;

/** Returns the times left of the graph calls in a scope that are open, or whose time is over. */
export function timesLeftIn({ draft, scope }: Frame): TimesLeft {
  const left = new Map<NodeTask['index'], number>();
  for (const { index, state } of tasksIn(scope)) {
    const position = timedPosition(state);
    if (position?.kind === 'subgraph' && position.countdown) left.set(index, leftAt(position.countdown, draft.now));
  }
  return left;
}

function timedPosition(state: TaskState): NodePosition | SavedProgress | null {
  if (state.phase === 'open') return state.position;
  return state.phase === 'failed' && state.failure.error.code === 'TIMEOUT' ? state.saved : null;
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
  const call = calls.find((one) => one.state.phase === 'inside' && one.number === result.number);
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
