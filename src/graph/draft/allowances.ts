import { withAllowance } from '../values/meter.ts';
import type { Frame, TaskHandle } from './frames.ts';

/*
 * What one `advance` may cost: far below the 8 s of processor time of an activation, as it yields (`load.ts`). The budgets
 * belong to the interpreter version: others would stop a recorded run at another place.
 */

/** One step of a task: its templates, arguments and schema checks; and its writes, once more. */
const TASK_UNITS = 3_000_000;
/** The edges of all nodes that finish in one superstep. */
const EDGE_UNITS = 5_000_000;

/** Runs a step of a task. @throws TooExpensiveError beyond its allowance, naming the node */
export function withTaskAllowance<T>({ node }: TaskHandle, step: () => T): T {
  return withAllowance(`Node "${node.id}"`, TASK_UNITS, step);
}

/** Evaluates the edges of a superstep. @throws TooExpensiveError beyond their allowance */
export function withEdgeAllowance<T>({ step }: Frame, evaluate: () => T): T {
  return withAllowance(`The evaluation of all edges of superstep ${step}`, EDGE_UNITS, evaluate);
}
