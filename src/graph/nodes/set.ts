import { done, nothingToResume } from './behavior.ts';
import type { NodeBehavior } from './behavior.ts';

/** Compiles a `set` node, which does nothing but its `write`. */
export function compileSet(): NodeBehavior {
  return { start: () => done(null), resume: nothingToResume };
}
