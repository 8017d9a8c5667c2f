import { done, nothingToResume } from './behavior.ts';
import type { NodeBehavior } from './behavior.ts';

/** A pure step: nothing but its `write`. */
export function compileSet(): NodeBehavior {
  return { start: () => done(null), resume: nothingToResume };
}
