import { newCountdown } from '../../run/countdown.ts';
import { freshScope } from '../../run/fresh-scope.ts';
import { taskKey } from '../../run/ids.ts';
import { tasksIn } from '../../run/scope-place.ts';
import type { NodeTask, Scope, WithGraphCalls } from '../../run/scope.ts';
import type { BatchCall, ToolBatch } from '../../run/tool-batch.ts';
import type { CallableGraph } from '../node-settings.ts';
import type { ToolBatchContext } from './callable-tool.ts';
import { inputOf } from './graph-input.ts';

/*
 * A graph runs as a tool call as a task of its own, in a scope inside the task that makes the calls. The scope lives as
 * long as one of its tasks: it is no superstep, and has no channels.
 */

/** Adds the tasks of calls that have begun as graphs since an earlier state of their batch. */
export function withBegunGraphs(
  { tools, leftMs }: ToolBatchContext,
  { before, batch, inside }: { readonly before: ToolBatch; readonly batch: ToolBatch; readonly inside?: Scope },
): Pick<WithGraphCalls, 'inside'> {
  const begun = batch.flatMap((call, at) => {
    const isBegun = call.state.phase === 'inside' && before[at]?.state.phase !== 'inside';
    const graph = isBegun ? tools.find(call.tool)?.graph : null;
    return graph ? [toTask(call, graph, leftMs())] : [];
  });
  return holding(inside, [...tasksIn(inside ?? NO_GRAPHS), ...begun]);
}

/** Leaves out the task of a call whose result has been taken. */
export function withoutGraph(inside: Scope | undefined, number: number): Pick<WithGraphCalls, 'inside'> {
  return holding(
    inside,
    tasksIn(inside ?? NO_GRAPHS).filter(({ index }) => index !== number),
  );
}

function holding(inside: Scope | undefined, tasks: readonly NodeTask[]): Pick<WithGraphCalls, 'inside'> {
  return tasks.length === 0 ? {} : { inside: { ...(inside ?? NO_GRAPHS), at: { kind: 'running', tasks } } };
}

const NO_GRAPHS: Scope = {
  step: 0,
  channels: {},
  at: { kind: 'running', tasks: [] },
  deferred: [],
  joins: {},
  visits: {},
  messages: 0,
  widest: 0,
};

function toTask({ tool, number, args }: BatchCall, { channels }: CallableGraph, leftMs: number | null): NodeTask {
  const saved = {
    kind: 'subgraph',
    scope: freshScope(channels),
    input: inputOf(args),
    ...(leftMs !== null && { countdown: newCountdown(leftMs) }),
  } as const;
  return {
    key: taskKey(tool, number),
    node: tool,
    visit: 1,
    index: number,
    item: null,
    group: null,
    retryRound: 0,
    takeover: 0,
    state: { phase: 'ready', saved },
  };
}
