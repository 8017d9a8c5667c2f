import type { CompiledGraph } from '../compile/compile.ts';
import type { Occurrence } from '../run/occurrence.ts';
import { advance } from './advance.ts';
import type { AdvanceResult } from './advance.ts';

/**
 * Advances a run by one occurrence after another. Pure if `next` is pure.
 * @param first the current step; it is not yielded
 * @param next returns the occurrence after a step; `null` ends the drive
 */
export function* driveRun(
  graph: CompiledGraph,
  first: AdvanceResult,
  next: (last: AdvanceResult) => Occurrence | null,
): Generator<AdvanceResult, void> {
  let step = first;
  for (let occurrence = next(step); occurrence; occurrence = next(step)) {
    step = advance(graph, step.run, occurrence);
    yield step;
  }
}
