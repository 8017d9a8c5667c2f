import { warning } from './rule.ts';
import type { Rule } from './rule.ts';
import { branchesOf } from './subject.ts';

/** `DEAD_END_BRANCH`: branches of which perhaps none holds. */
export const deadEndBranches: Rule = ({ edges }) =>
  edges
    .filter(
      ({ kind, fields, path }) =>
        kind === 'branches' && branchesOf(fields, path).every(({ fields: { when } }) => when !== undefined),
    )
    .map(({ path }) =>
      warning('DEAD_END_BRANCH', path, {
        message: 'When none of these branches holds, this edge leads nowhere',
        hint: 'Add a last branch without "when", to "__end__" if that is what you mean',
      }),
    );
