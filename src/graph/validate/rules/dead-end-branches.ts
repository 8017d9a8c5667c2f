import { defineRule, issueWarning } from '../rule.ts';
import { branchesOf } from '../subject.ts';

/** Finds branches that may all be false, or a route without a default. */
export const deadEndBranches = defineRule({
  codes: ['DEAD_END_BRANCH'],
  find: ({ edges }) =>
    edges
      .filter(
        ({ kind, fields, path }) =>
          (kind === 'branches' && branchesOf(fields, path).every(({ fields: { when } }) => when !== undefined)) ||
          (kind === 'route' && fields['default'] === undefined),
      )
      .map(({ path, kind }) =>
        kind === 'route'
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
