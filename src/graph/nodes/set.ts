import { done } from './runner.ts';
import type { NodeRunner } from './runner.ts';
import { nothingToResume } from './unexpected.ts';

/** A pure step: nothing but its `write`. */
export function compileSet(): NodeRunner {
  return { start: () => done(null), resume: nothingToResume };
}
