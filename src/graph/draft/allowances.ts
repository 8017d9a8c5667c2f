import { withinRoom } from '../expression/byte-budget.ts';
import { MAX_HELD_BYTES, bytesOfTask, holdsTooMuch } from '../run/held-bytes.ts';
import { MAX_VALUE_BYTES } from '../values/json-size.ts';
import { withAllowance, withinBudget } from '../values/meter.ts';
import type { Draft } from './draft.ts';
import type { Frame, TaskHandle } from './frames.ts';

/*
 * What a run may compute. One `advance` stays far below the 8 s of processor time of an activation, as it yields
 * (`load.ts`); what it computes over many is bounded here. The budgets belong to the interpreter version: others would
 * stop a recorded run at another place.
 */

/** One step of a task: its templates, arguments and schema checks; and its writes, once more. */
const TASK_UNITS = 3_000_000;
/** The edges of all nodes that finish in one superstep. */
const EDGE_UNITS = 5_000_000;
/** A superstep of the run's own graph: its tasks, the graphs inside, writes and edges together. */
const SUPERSTEP_UNITS = 20_000_000;
/** What a run computes until it hears from outside: a result, a signal or a timer. */
const UNITS_ALONE = 100_000_000;

/** Runs a step of a task. @throws TooExpensiveError beyond its allowance, naming the node, or beyond its superstep's */
export function withTaskAllowance<T>(handle: TaskHandle, step: () => T): T {
  return withinSuperstep(handle.draft, () => withOwnAllowance(handle, step));
}

/** As `withTaskAllowance`, whatever its superstep has computed: for what follows from a call that has been made. */
export function withOwnAllowance<T>(handle: TaskHandle, step: () => T): T {
  return withAllowance(`Node "${handle.node.id}"`, TASK_UNITS, () => withRoomOf(handle, step));
}

/** Small values are made whatever a run holds; where they are kept, what it holds is looked at again. */
const ALWAYS_MADE = 65_536;

/** Lets a task make no value for which its run has no room. What the task itself holds may give way to it. */
function withRoomOf<T>({ draft, task }: TaskHandle, step: () => T): T {
  const left = MAX_HELD_BYTES - draft.run.heldBytes;
  if (left >= MAX_VALUE_BYTES) return step();
  return withinRoom({ bytes: Math.max(ALWAYS_MADE, left + bytesOfTask(task)), refuse: holdsTooMuch }, step);
}

/** Evaluates the edges of a superstep. @throws TooExpensiveError beyond their allowance, or their superstep's */
export function withEdgeAllowance<T>({ draft, step }: Frame, evaluate: () => T): T {
  const name = `The evaluation of all edges of superstep ${step}`;
  return withinSuperstep(draft, () => withAllowance(name, EDGE_UNITS, evaluate));
}

/** Does a part of the open superstep of the run's own graph. @throws TooExpensiveError once all of it is used up */
export function withinSuperstep<T>({ run, work }: Draft, part: () => T): T {
  const message = `Superstep ${Math.max(0, run.root.step)} is too expensive: the superstep has computed more than it may, ${SUPERSTEP_UNITS} units for all its tasks and edges together`;
  return withinBudget({ units: SUPERSTEP_UNITS, spent: work.computed.superstep, message }, part);
}

/** True if the open superstep can't compute any more, so that it can't succeed. */
export function isUsedUp({ work }: Draft): boolean {
  return work.computed.superstep >= SUPERSTEP_UNITS;
}

/** Says that a run has computed too much since it last heard from outside; `null`: it may go on. */
export function tooLongAlone({ work }: Draft): string | null {
  if (work.computed.alone <= UNITS_ALONE) return null;
  return `The run has computed more than ${UNITS_ALONE} units since it last heard from outside`;
}
