import { warning } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Subject } from '../subject.ts';

/** `JOIN_MAY_STARVE`: a join waits for a node that only a branch reaches, so it may wait for ever. */
export const starvingJoins: Rule = (subject) =>
  subject.edges
    .filter(({ sources }) => sources.length > 1)
    .flatMap(({ sources }) => sources)
    .filter(({ name }) => onlyBranchesReach(subject, name))
    .map(({ name, path }) =>
      warning('JOIN_MAY_STARVE', path, {
        message: `Only a branch leads to "${name}"; when it is not taken, this join never fires`,
        hint: 'Join nodes that always run, or let each of them lead on by an edge of its own',
      }),
    );

function onlyBranchesReach({ edges }: Subject, node: string): boolean {
  const leading = edges.filter(({ targets }) => targets.some(({ name }) => name === node));
  return leading.length > 0 && leading.every(({ kind }) => kind === 'branches' || kind === 'route');
}
