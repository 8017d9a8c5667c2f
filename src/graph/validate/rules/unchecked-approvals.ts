import { END } from '../../definition/definition.ts';
import { defineRule, issueWarning } from '../rule.ts';

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
