import type { Lane, NodeTask, Scope } from './scope.ts';

/** How many elements of each `forEach` are open. */
export type Lanes = Map<string, number>;

export function lanesOf({ superstep }: Pick<Scope, 'superstep'>): Lanes {
  const lanes: Lanes = new Map();
  for (const task of superstep?.tasks ?? []) if (isOpen(task)) enter(task.lane, lanes);
  return lanes;
}

export function isTaken(lane: Lane | null, lanes: Lanes): boolean {
  return lane !== null && (lanes.get(lane.id) ?? 0) >= lane.width;
}

/** Counts a task that has just been started, unless it is over already. */
export function occupy({ superstep }: Pick<Scope, 'superstep'>, { key, lane }: NodeTask, lanes: Lanes): void {
  const now = superstep?.tasks.find((task) => task.key === key);
  if (now && isOpen(now)) enter(lane, lanes);
}

function enter(lane: Lane | null, lanes: Lanes): void {
  if (lane) lanes.set(lane.id, (lanes.get(lane.id) ?? 0) + 1);
}

function isOpen({ state }: NodeTask): boolean {
  return state.phase === 'open' || state.phase === 'intervention';
}
