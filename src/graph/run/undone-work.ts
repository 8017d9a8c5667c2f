import { taskAddress } from './ids.ts';
import type { Compensation } from './compensation.ts';
import type { Run } from './run.ts';

/*
 * State outlives the work that it stands for. A call counts as undone from the moment in which its run begins to end with it: its
 * compensation is to come, on its way, done or failed. Nothing may start from a state behind it: every door asks `isBehind`.
 */

/** The calls of a run that are undone, or about to be. */
export interface UndoneWork {
  /** The first superstep of the run's own graph whose calls are undone. Forks go on counting the steps of their parents. */
  readonly since: number;
  /** The nodes of these calls, `outer/inner` in a subgraph; the first few. */
  readonly nodes: readonly string[];
}

/** The nodes that a refusal names. */
const MAX_NAMED = 10;

/** Returns what is undone of a run's work, and in an ending one what is about to be; `null`: nothing. */
export function undoneWork({ phase, compensation }: Pick<Run, 'phase' | 'compensation'>): UndoneWork | null {
  const { undone, pending } = compensation;
  const isEnding = phase.kind === 'failing' || phase.kind === 'canceling' || phase.kind === 'closing';
  return isEnding ? withUndone(undone, pending) : undone;
}

/** Adds compensations, the earliest first, to what is undone. */
export function withUndone(undone: UndoneWork | null, compensations: readonly Compensation[]): UndoneWork | null {
  const [first] = compensations;
  if (!first) return undone;
  const nodes = compensations.slice(-MAX_NAMED).map(({ task }) => taskAddress(task));
  return {
    since: Math.min(first.step, undone?.since ?? first.step),
    nodes: [...new Set([...(undone?.nodes ?? []), ...nodes])].slice(0, MAX_NAMED),
  };
}

/** True if the state at a checkpoint stands for work that is undone. */
export function isBehind({ since }: Pick<UndoneWork, 'since'>, { step }: { readonly step: number }): boolean {
  return step >= since;
}

/** Names the nodes of undone calls, for a refusal. */
export function describeUndone({ nodes }: UndoneWork): string {
  return `${nodes.join(', ')}${nodes.length === MAX_NAMED ? ' and perhaps others' : ''}`;
}
