import type { Draft } from './draft.ts';
import { rootFrame } from './frames.ts';
import type { Visited } from './place.ts';
import { withdraw } from './withdraw.ts';

/** Gives the open superstep up, and everything that would come after it. @returns the nodes that were at work in it */
export function abandon(draft: Draft): Visited {
  const { scope } = rootFrame(draft);
  const visited = (scope.superstep?.tasks ?? []).map(({ node }) => node);
  withdraw(draft);
  delete draft.run.counted;
  if (scope.superstep) scope.step += 1;
  scope.superstep = null;
  scope.unfired = [];
  scope.deferred = [];
  scope.triggers = [];
  scope.hold = null;
  draft.frames.clear();
  return visited;
}
