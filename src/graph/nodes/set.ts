import { done, nothingToResume } from './behavior.ts';
import type { NodeRunner } from './behavior.ts';

/** A pure step: nothing but its `write`. */
export function compileSet(): NodeRunner {
  return { start: () => done(null), resume: nothingToResume };
}
