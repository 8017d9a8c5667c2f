import { childFrame, outputOf, tasksOf } from '../draft/frames.ts';
import type { Frame, TaskHandle } from '../draft/frames.ts';
import { mustYield, mustYieldBeforeWhole } from '../draft/load.ts';
import { tasksIn } from '../run/scope-place.ts';
import type { ScopePlace } from '../run/scope.ts';
import { isFinished, isOver, hasNotBegun } from '../run/task-state.ts';
import { otherCause } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { closeSuperstep } from './close-superstep.ts';
import { enterScope } from './enter-scope.ts';
import { endFailingTask } from './fail-task.ts';
import { emitResult, resultsInside, timesLeftIn } from './graph-call-results.ts';
import { triggerNextNodes } from './next-nodes.ts';
import { openNextSuperstep } from './open-superstep.ts';
import { resumeTask } from './run-task.ts';
import type { Standing } from './standing.ts';
import { isLost, startTasks } from './start-tasks.ts';

/** Runs supersteps until the graph needs input from outside. */
export function runSupersteps(frame: Frame): Standing {
  for (;;) {
    const standing = moveOn(frame, frame.scope.at);
    if (standing) return standing;
    if (mustYield(frame.draft)) return { kind: 'yielded' };
  }
}

type At<Kind extends ScopePlace['kind']> = ScopePlace & { readonly kind: Kind };

/** The next move of a graph from each position. @returns `null` if the graph can go on */
const MOVES: { readonly [K in ScopePlace['kind']]: (frame: Frame, at: At<K>) => Standing | null } = {
  ready: openNextSuperstep,
  running: workOnSuperstep,
  edges: leaveNodes,
  before: () => ({ kind: 'paused' }),
  after: () => ({ kind: 'paused' }),
};

function moveOn<K extends ScopePlace['kind']>(frame: Frame, at: At<K>): Standing | null {
  const move: (frame: Frame, at: At<K>) => Standing | null = MOVES[at.kind];
  return move(frame, at);
}

/** Evaluates the edges of finished nodes, and opens the next superstep. */
function leaveNodes(frame: Frame): Standing | null {
  const failure = triggerNextNodes(frame);
  return failure ? { kind: 'failed', error: failure } : moveOn(frame, frame.scope.at);
}

/** Starts ready tasks, runs open subgraphs, and closes the superstep when all tasks are over. */
function workOnSuperstep(frame: Frame): Standing | null {
  if (startTasks(frame)) return { kind: 'yielded' };
  const inside = runSubgraphs(frame);
  if (inside === 'yielded') return { kind: 'yielded' };
  if (inside === 'returned') return null;
  const tasks = tasksIn(frame.scope);
  if (!tasks.every(isOver) && !(isLost(frame) && tasks.every((task) => isOver(task) || hasNotBegun(task))))
    return { kind: inside };
  const [first, second] = tasks.flatMap(({ state }) => (state.phase === 'failed' ? [state.failure.error] : []));
  if (first) return { kind: 'failed', error: withSecondFailure(first, second) };
  if (mustYieldBeforeWhole(frame.draft)) return { kind: 'yielded' };
  const failure = closeSuperstep(frame, tasks.filter(isFinished));
  return failure && { kind: 'failed', error: failure };
}

/** The standing of open subgraphs. One has `returned` if its task has got its output or its failure. */
type SubgraphStanding = Exclude<Standing['kind'], 'finished' | 'failed'> | 'returned';

/** Runs each open subgraph. @returns the combined standing; `waiting` without subgraphs */
function runSubgraphs(frame: Frame): SubgraphStanding {
  let combined: SubgraphStanding = 'waiting';
  if (!frame.graph.hasSubgraphs) return combined;
  for (const handle of tasksOf(frame)) {
    const child = childFrame(handle);
    if (!child) continue;
    const standing = runSubgraph(handle, child);
    if (standing === 'yielded') return 'yielded';
    if (standing === 'returned' || combined === 'waiting') combined = standing;
  }
  return combined;
}

function runSubgraph(handle: TaskHandle, child: Frame): SubgraphStanding {
  if (child.isFailing) return endFailingTask(handle) ? 'returned' : 'waiting';
  if (handle.node.callsGraphs) return runGraphCalls(handle, child);
  const standing = enterSubgraph(handle, child) ?? runSupersteps(child);
  switch (standing.kind) {
    case 'finished':
      resumeTask(handle, { kind: 'subgraph.finished', output: outputOf(child) });
      return 'returned';
    case 'failed':
      resumeTask(handle, { kind: 'subgraph.failed', error: standing.error });
      return 'returned';
    default:
      return standing.kind;
  }
}

/** Runs the graphs that a task calls as tools, and gives the task the results of those that have ended. */
function runGraphCalls(handle: TaskHandle, child: Frame): SubgraphStanding {
  if (startTasks(child)) return 'yielded';
  const timesLeft = timesLeftIn(child);
  const standing = runSubgraphs(child);
  if (standing === 'yielded') return 'yielded';
  const results = resultsInside(handle, child.scope, timesLeft);
  for (const result of results) {
    emitResult(handle, result);
    resumeTask(handle, result);
  }
  return results.length > 0 ? 'returned' : standing;
}

/** Enters a subgraph that has not begun. @returns its failure, if its input can't be written, or that it has to wait */
function enterSubgraph({ task: { state } }: TaskHandle, child: Frame): Standing | null {
  if (child.scope.step >= 0 || state.phase !== 'open' || state.position.kind !== 'subgraph') return null;
  if (mustYieldBeforeWhole(child.draft)) return { kind: 'yielded' };
  const error = enterScope(child, { input: state.position.input, startAt: null });
  return error && { kind: 'failed', error };
}

/** Adds a second error as the cause of the first, unless that has a cause which tells more than where its code threw. */
function withSecondFailure(first: RunError, second: RunError | undefined): RunError {
  if (!second || otherCause(first)) return first;
  return { ...first, cause: { code: second.code, message: `Also: ${second.message}` } };
}
