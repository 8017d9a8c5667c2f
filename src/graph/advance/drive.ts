import type { CompiledGraph } from '../compile/compile.ts';
import type { Occurrence } from '../run/occurrence.ts';
import { advance } from './advance.ts';
import type { Advance } from './advance.ts';

/**
 * Takes a run on, one occurrence after the other. Pure, as far as `next` is.
 * @param first where the run stands; it is not among the steps
 * @param next tells what happens after a step; `null` ends the drive
 */
export function* drive(
  graph: CompiledGraph,
  first: Advance,
  next: (last: Advance) => Occurrence | null,
): Generator<Advance, void> {
  let step = first;
  for (let occurrence = next(step); occurrence; occurrence = next(step)) {
    step = advance(graph, step.run, occurrence);
    yield step;
  }
}
