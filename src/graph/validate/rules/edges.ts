import { START, END } from '../../definition/definition.ts';
import { defineRule, error, issueWarning } from '../rule.ts';
import { branchesOf } from '../subject.ts';
import type { SubjectEdge } from '../subject.ts';
import { canonicalJson } from '../../values/compare-json.ts';
import type { JsonObject } from '../../values/json.ts';

/** Finds a graph in which no edge leaves `__start__`. */
export const entryPoint = defineRule({
  codes: ['MISSING_ENTRY_POINT'],
  find: ({ edges }) => {
    const hasEntry = edges.some(({ sources }) => sources.some(({ name }) => name === START));
    return hasEntry
      ? []
      : [error('MISSING_ENTRY_POINT', '/edges', `No edge leaves ${START}: the graph would never begin`)];
  },
});

/** Finds an entry that equals an earlier one. */
export const duplicateEdges = defineRule({
  codes: ['DUPLICATE_EDGE'],
  find: ({ edges }) => {
    const first = new Map<string, string>();
    return edges.flatMap(({ fields, path }) => {
      const key = canonicalJson(fields);
      const earlier = first.get(key);
      if (earlier !== undefined) return [error('DUPLICATE_EDGE', path, `The same edge stands at ${earlier}`)];
      first.set(key, path);
      return [];
    });
  },
});

/** Finds branches that may all be false, or a route without a default. */
export const deadEndBranches = defineRule({
  codes: ['DEAD_END_BRANCH'],
  find: ({ edges }) =>
    edges
      .filter(
        ({ kind, fields, path }) =>
          (kind === 'branches' && branchesOf(fields, path).every(({ fields: { when } }) => when !== undefined)) ||
          (isRouted({ kind, fields }) && fields['default'] === undefined),
      )
      .map(({ path, kind }) =>
        kind !== 'branches'
          ? issueWarning(
              'DEAD_END_BRANCH',
              path,
              'A value that is not in paths fails the run',
              'Add a default, to "__end__" if that is what you mean',
            )
          : issueWarning(
              'DEAD_END_BRANCH',
              path,
              'When none of these branches holds, this edge leads nowhere',
              'Add a last branch without "when", to "__end__" if that is what you mean',
            ),
      ),
});

/** True for an edge whose `route` chooses among `paths`. */
function isRouted({ kind, fields }: Pick<SubjectEdge, 'kind' | 'fields'>): boolean {
  return kind === 'route' || (kind === 'forEach' && fields['route'] !== undefined);
}

/** Finds a `forEach` that names no target, or names them in two ways. */
export const forEachTargets = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ edges }) =>
    edges
      .filter(({ kind }) => kind === 'forEach')
      .flatMap(({ fields, path }) => {
        const problem = targetProblem(fields);
        return problem ? [error('INVALID_FIELD', path + problem.at, problem.message)] : [];
      }),
});

interface TargetProblem {
  /** The pointer of the field within the edge. */
  readonly at: string;
  readonly message: string;
}

function targetProblem({ to, route, paths, default: otherwise }: JsonObject): TargetProblem | null {
  if (to === undefined && route === undefined)
    return { at: '', message: 'A forEach needs `to`, or a `route` with `paths`' };
  if (route !== undefined) {
    if (to !== undefined) return { at: '/to', message: 'A forEach takes `to` or `route`, not both' };
    return paths === undefined ? { at: '', message: 'A `route` needs `paths`' } : null;
  }
  const left = paths === undefined ? (otherwise === undefined ? null : 'default') : 'paths';
  return left && { at: `/${left}`, message: `Only a forEach with \`route\` takes \`${left}\`` };
}

/** Finds a join that may wait forever for a node that only a branch reaches. */
export const starvingJoins = defineRule({
  codes: ['JOIN_MAY_STARVE'],
  find: ({ edges }) => {
    const reachedByBranches = targetNames(edges.filter((edge) => edge.kind === 'branches' || isRouted(edge)));
    const reachedElse = targetNames(
      edges.filter((edge) => edge.kind === 'plain' || (edge.kind === 'forEach' && !isRouted(edge))),
    );
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

function targetNames(edges: readonly SubjectEdge[]): ReadonlySet<string> {
  return new Set(edges.flatMap(({ targets }) => targets).map(({ name }) => name));
}

/** Finds an approval whose rejection has no effect. */
export const uncheckedApprovals = defineRule({
  codes: ['APPROVAL_UNCHECKED'],
  find: ({ nodes, edges }) =>
    [...nodes.values()]
      .filter(({ fields, description: { onReject } }) => onReject !== undefined && fields[onReject] !== 'fail')
      .filter(({ id }) => {
        const leaving = edges.filter(({ sources }) => sources.some(({ name }) => name === id));
        const continues = leaving.some(({ targets }) => targets.some(({ name }) => name !== END));
        return continues && leaving.every(({ kind }) => kind === 'plain');
      })
      .map(({ id, path }) =>
        issueWarning(
          'APPROVAL_UNCHECKED',
          path,
          `Only plain edges leave "${id}": the run goes on the same way when it is rejected`,
          'Branch on the decision that it writes, or set onReject to "fail"',
        ),
      ),
});
