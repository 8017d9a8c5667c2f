import type { Draft } from '../draft.ts';
import { rootFrame } from '../frames.ts';
import { withdraw } from './cancel.ts';

/** Gives the open superstep up, and everything that would come after it. */
export function abandon(draft: Draft): void {
  const { scope } = rootFrame(draft);
  withdraw(draft);
  if (scope.superstep) scope.step += 1;
  scope.superstep = null;
  scope.unfired = [];
  scope.deferred = [];
  scope.triggers = [];
  scope.hold = null;
  draft.frames.clear();
}
