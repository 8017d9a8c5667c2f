import { toggledClock } from '../run/countdown.ts';
import type { Clock } from '../run/countdown.ts';
import { DEADLINE_TIMER, shortened } from '../run/ids.ts';
import type { TaskAddress } from '../run/ids.ts';
import type { RunLimits } from '../run/limits.ts';
import { needsAt, wantsCapacity } from '../run/position.ts';
import { isEnded, isEnding } from '../run/run.ts';
import type { SubgraphPosition, WaitPosition } from '../run/scope.ts';
import type { Draft, Frame } from '../superstep/draft.ts';
import { openTasks, addressOf, setState, trailOf, openFrames, tasksOf } from '../superstep/frames.ts';
import type { TaskFrame } from '../superstep/frames.ts';
import { lanesOf, isTaken } from '../superstep/plan-tasks.ts';
import type { Lanes } from '../superstep/plan-tasks.ts';
import { cancelTimer, startTimer, summaryOf } from '../superstep/timers.ts';
import { parseMoment } from '../values/timestamp.ts';

export function openClock({ deadlineMs }: RunLimits): Clock | null {
  return deadlineMs === undefined ? null : { leftMs: deadlineMs, runsSince: null };
}

/** Has the deadline start anew, by the limits that are in force now. */
export function restartClock(draft: Draft): void {
  cancelTimer(draft, DEADLINE_TIMER);
  draft.run.clock = openClock(draft.run.limits);
}

/** Lets the clocks of deadlines run or stand still, as the run's status has it. */
export function keepTime(draft: Draft): void {
  keepTimeOfRun(draft);
  keepTimeOfNodes(draft);
}

function keepTimeOfRun(draft: Draft): void {
  const { run } = draft;
  if (!run.clock) return;
  const clock = toggledClock(run.clock, isTicking(draft), draft.now);
  if (!clock) return;
  run.clock = clock;
  if (clock.runsSince === null) return cancelTimer(draft, DEADLINE_TIMER);
  const timer = { fireAt: clock.runsSince + clock.leftMs, summary: 'deadline of the run' };
  run.timers[DEADLINE_TIMER] = { task: [], ...timer };
  draft.effects.push({ kind: 'timer', id: DEADLINE_TIMER, ...timer });
}

/** It stands still while the run only waits for people. */
function isTicking(draft: Draft): boolean {
  const { status, failing } = draft.run;
  if (isEnded(status) || failing || status === 'paused') return false;
  return status !== 'waiting' || openTasks(draft).some(waitsForWorld);
}

function waitsForWorld({ task: { state } }: TaskFrame): boolean {
  return state.phase === 'open' && state.position.kind === 'wait';
}

/** Lets the clocks of subgraphs and waits with a deadline run, or stand still while they only wait for people. */
export function keepTimeOfNodes(draft: Draft): void {
  if (!draft.graph.hasDeadlines) return;
  const busy = standsStill(draft) ? new Set<string>() : busyPlaces(draft);
  for (const of of openTasks(draft)) {
    const position = timedPosition(of);
    if (position) keepTime(of, position, !isFailing(of, position) && busy.has(addressOf(of).join('/')));
  }
}

type TimedPosition = SubgraphPosition | WaitPosition;

function timedPosition({ node, task: { state } }: TaskFrame): TimedPosition | null {
  if (node.deadlineMs === null || state.phase !== 'open') return null;
  const { position } = state;
  return position.kind === 'subgraph' || position.kind === 'wait' ? position : null;
}

function standsStill({ run }: Draft): boolean {
  return isEnded(run.status) || run.status === 'paused' || isEnding(run);
}

function isFailing({ frame }: TaskFrame, position: TimedPosition): boolean {
  return frame.isFailing || (position.kind === 'subgraph' && position.failing !== undefined);
}

function keepTime(of: TaskFrame, position: TimedPosition, runs: boolean): void {
  const { draft, node } = of;
  const before = position.clock ?? { leftMs: node.deadlineMs ?? 0, runsSince: null };
  const clock = toggledClock(before, runs, draft.now);
  if (!clock) return;
  if (before.runsSince === null) startDeadline(of, position, draft.now + clock.leftMs);
  else cancelTimer(draft, deadlineTimer(of, before.runsSince + before.leftMs));
  setState(of, { phase: 'open', position: { ...position, clock } });
}

/** A wait that goes on by itself before its deadline needs no timer for it. */
function startDeadline(of: TaskFrame, position: TimedPosition, fireAt: number): void {
  const goesOnAt = position.kind === 'wait' && position.deadline !== null ? parseMoment(position.deadline) : null;
  if (goesOnAt !== null && goesOnAt <= fireAt) return;
  startTimer(of, { id: deadlineTimer(of, fireAt), fireAt, summary: summaryOf(of, 'deadline') });
}

/** One that has fired as it was taken back is not taken for the next one of its task. */
function deadlineTimer(of: TaskFrame, fireAt: number): string {
  return `${shortened(trailOf(of).join('/'))}.deadline.${fireAt}`;
}

/** Where something is at work or waits for the world: the tasks themselves, and those around them. */
function busyPlaces(draft: Draft): ReadonlySet<string> {
  const busy = new Set<string>();
  const note = (address: TaskAddress): void => {
    for (let depth = address.length; depth > 0; depth -= 1) busy.add(address.slice(0, depth).join('/'));
  };
  for (const { task } of Object.values(draft.run.calls)) note(task);
  for (const frame of openFrames(draft).filter(({ isFailing }) => !isFailing)) {
    if (isBetweenSteps(draft, frame)) note(frame.address);
    const lanes = lanesOf(frame.scope);
    for (const of of tasksOf(draft, frame)) if (isBusy(of, lanes)) note(addressOf(of));
  }
  return busy;
}

/** It has stopped half-way, for the journal to catch up. */
function isBetweenSteps({ run }: Draft, { scope }: Frame): boolean {
  return scope.superstep === null && scope.hold === null && run.pause === null;
}

function isBusy({ task: { state, lane } }: TaskFrame, lanes: Lanes): boolean {
  if (state.phase === 'ready') return !isTaken(lane, lanes);
  if (state.phase !== 'open') return false;
  const { position } = state;
  return position.kind === 'wait' || wantsCapacity(position) || needsAt(position) !== null;
}
