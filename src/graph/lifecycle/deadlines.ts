import type { Draft } from '../draft/draft.ts';
import { openFrames, tasksOfRun, rootFrame, tasksOfFrame, taskSummary } from '../draft/frames.ts';
import type { Frame, TaskHandle } from '../draft/frames.ts';
import { setState } from '../draft/scope-draft.ts';
import { countdownEnd, newCountdown, toggleCountdown } from '../run/limits.ts';
import type { Countdown, RunLimits } from '../run/limits.ts';
import { DEADLINE_TIMER, nodeDeadlineTimerId } from '../run/ids.ts';
import type { TaskPath } from '../run/ids.ts';
import { tasksOfScope } from '../run/scope-position.ts';
import type { SubgraphPosition, WaitPosition } from '../run/scope.ts';
import { isClosing, mayOpenStep, standsStill } from '../run/status.ts';
import { awaitedBudget, wantsCapacity, hasNotBegun } from '../run/task-position.ts';
import { openByGroup, isGroupFull } from '../superstep/open-superstep.ts';
import type { OpenByGroup } from '../superstep/open-superstep.ts';
import { isLostSuperstep } from '../superstep/run-supersteps.ts';
import { parseTimestamp } from '../values/time.ts';

export function openCountdown({ deadlineMs }: RunLimits): Countdown | null {
  return deadlineMs === undefined ? null : newCountdown(deadlineMs);
}

/** Restarts the run's deadline with the current limits. */
export function restartCountdown(draft: Draft): void {
  draft.cancelTimer(DEADLINE_TIMER);
  draft.setCountdown(openCountdown(draft.run.limits));
}

/** Starts or stops the countdowns of deadlines according to the run's status. */
export function updateDeadlines(draft: Draft): void {
  updateRunDeadline(draft);
  updateNodeDeadlines(draft);
}

function updateRunDeadline(draft: Draft): void {
  const { run } = draft;
  if (!run.countdown) return;
  const countdown = toggleCountdown(run.countdown, isCountdownRunning(draft), draft.now);
  if (!countdown) return;
  draft.setCountdown(countdown);
  const fireAt = countdownEnd(countdown);
  if (fireAt === null) return draft.cancelTimer(DEADLINE_TIMER);
  draft.startTimer(DEADLINE_TIMER, { taskPath: [], fireAt, summary: 'deadline of the run' });
}

/** True unless the run only waits for people, or runs its last node, which stops the countdown. */
function isCountdownRunning(draft: Draft): boolean {
  const { run } = draft;
  return (
    !standsStill(run) && !isClosing(run) && (run.phase.kind !== 'waiting' || tasksOfRun(draft).some(waitsForWorld))
  );
}

function waitsForWorld({ task: { state } }: TaskHandle): boolean {
  return state.phase === 'open' && state.position.kind === 'wait';
}

/** Starts the countdowns of subgraphs and waits, and stops them while a task only waits for people. */
export function updateNodeDeadlines(draft: Draft): void {
  if (!draft.graph.hasDeadlines) return;
  const busy = standsStill(draft.run) ? new Set<string>() : busyTasks(draft);
  for (const handle of tasksOfRun(draft)) {
    const position = timedPosition(handle);
    const runs = !handle.frame.isFailing && busy.has(handle.taskPath.join('/'));
    if (position) updateNodeDeadline(handle, position, runs);
  }
}

type TimedPosition = SubgraphPosition | WaitPosition;

function timedPosition({ node, task: { state } }: TaskHandle): TimedPosition | null {
  if (node.deadlineMs === null || state.phase !== 'open') return null;
  const { position } = state;
  return position.kind === 'subgraph' || position.kind === 'wait' ? position : null;
}

function updateNodeDeadline(handle: TaskHandle, position: TimedPosition, runs: boolean): void {
  const { draft, node } = handle;
  const before = position.countdown ?? newCountdown(node.deadlineMs ?? 0);
  const countdown = toggleCountdown(before, runs, draft.now);
  if (!countdown) return;
  const [wasDueAt, isDueAt] = [countdownEnd(before), countdownEnd(countdown)];
  if (wasDueAt !== null) draft.cancelTimer(nodeDeadlineTimerId(handle.executionPath, wasDueAt));
  if (isDueAt !== null) startDeadline(handle, position, isDueAt);
  setState(handle, { phase: 'open', position: { ...position, countdown } });
}

/** Skips the timer of a wait that ends by itself before its deadline. */
function startDeadline(handle: TaskHandle, position: TimedPosition, fireAt: number): void {
  const endsByItselfAt =
    position.kind === 'wait' && position.deadline !== null ? parseTimestamp(position.deadline) : null;
  if (endsByItselfAt !== null && endsByItselfAt <= fireAt) return;
  const id = nodeDeadlineTimerId(handle.executionPath, fireAt);
  const { draft, taskPath } = handle;
  draft.startTimer(id, { taskPath, fireAt, summary: taskSummary(handle, 'deadline') });
}

/** Returns the paths of tasks that work or wait for events and timers, with their enclosing tasks. */
function busyTasks(draft: Draft): ReadonlySet<string> {
  const busy = new Set<string>();
  const add = (path: TaskPath): void => {
    for (let depth = path.length; depth > 0; depth -= 1) busy.add(path.slice(0, depth).join('/'));
  };
  for (const { taskPath } of Object.values(draft.run.calls)) add(taskPath);
  for (const frame of openFrames(rootFrame(draft)).filter(({ isFailing }) => !isFailing)) {
    if (isBetweenSteps(frame)) add(frame.taskPath);
    const groups = openByGroup(tasksOfScope(frame.scope));
    const lost = isLostSuperstep(frame);
    for (const handle of tasksOfFrame(frame))
      if (isBusyTask(handle, groups) && !(lost && hasNotBegun(handle.task))) add(handle.taskPath);
  }
  return busy;
}

/** True if the graph has yielded so that the journal can catch up. */
function isBetweenSteps({ draft, path, scope: { at } }: Frame): boolean {
  return (at.kind === 'ready' || at.kind === 'edges') && mayOpenStep(draft.run, path.length > 0);
}

function isBusyTask({ task: { state, group } }: TaskHandle, groups: OpenByGroup): boolean {
  if (state.phase === 'ready') return !isGroupFull(group, groups);
  if (state.phase !== 'open') return false;
  const { position } = state;
  return position.kind === 'wait' || wantsCapacity(position) || awaitedBudget(position) !== null;
}
