import { defineRule, issueWarning } from '../rule.ts';
import type { SubjectEdge } from '../subject.ts';

/** Finds a join that may wait forever for a node that only a branch reaches. */
export const starvingJoins = defineRule({
  codes: ['JOIN_MAY_STARVE'],
  find: ({ edges }) => {
    const reachedByBranches = targetsOf(edges.filter(({ kind }) => kind === 'branches' || kind === 'route'));
    const reachedElse = targetsOf(edges.filter(({ kind }) => kind === 'plain' || kind === 'forEach'));
    return edges
      .filter(({ sources }) => sources.length > 1)
      .flatMap(({ sources }) => sources)
      .filter(({ name }) => reachedByBranches.has(name) && !reachedElse.has(name))
      .map(({ name, path }) =>
        issueWarning(
          'JOIN_MAY_STARVE',
          path,
          `Only a branch leads to "${name}"; when it is not taken, this join never fires`,
          'Join nodes that always run, or let each of them lead on by an edge of its own',
        ),
      );
  },
});

function targetsOf(edges: readonly SubjectEdge[]): ReadonlySet<string> {
  return new Set(edges.flatMap(({ targets }) => targets).map(({ name }) => name));
}
