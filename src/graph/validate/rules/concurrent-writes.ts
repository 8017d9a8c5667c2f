import { writesOf } from '../../definition/node-types/describe-node.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { describeReducer } from '../../definition/reducers.ts';
import { defineRule, issueWarning } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectEdge } from '../subject.ts';

/** Finds nodes that always run together and write a channel that accepts only one write in a superstep. */
export const concurrentWrites = defineRule({
  codes: ['IMPLICIT_CONCURRENT_WRITE'],
  find: (subject) => {
    const reported = new Set<string>();
    return [...nodesTogether(subject.edges).values()]
      .flatMap((group) => conflictsIn(subject, [...group]))
      .filter(({ path }) => !reported.has(path) && reported.add(path));
  },
});

/** Returns the nodes that unconditional edges of one source start in the same superstep. */
function nodesTogether(edges: readonly SubjectEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { kind, sources, targets } of edges) {
    if (kind !== 'plain') continue;
    const source = sources
      .map(({ name }) => name)
      .sort()
      .join(' ');
    const group = groups.get(source) ?? new Set();
    for (const { name } of targets) group.add(name);
    groups.set(source, group);
  }
  return groups;
}

function conflictsIn(
  { nodes, channels }: ValidationSubject,
  group: readonly string[],
): GraphIssues<'IMPLICIT_CONCURRENT_WRITE'> {
  const writers = new Map<string, string>();
  return group.flatMap((id) => {
    const node = nodes.get(id);
    const written = node ? writesOf(node).filter(({ name }) => isExclusive(channels.get(name))) : [];
    return written.flatMap((write) => findConflict(writers, id, write));
  });
}

function findConflict(
  writers: Map<string, string>,
  id: string,
  { name, path }: LocatedName,
): GraphIssues<'IMPLICIT_CONCURRENT_WRITE'> {
  const other = writers.get(name);
  writers.set(name, id);
  if (other === undefined || other === id) return [];
  return [
    issueWarning(
      'IMPLICIT_CONCURRENT_WRITE',
      path,
      `"${other}" and "${id}" run together and both write "${name}", which keeps one value: the run would fail`,
      `Give channel "${name}" a reducer such as append or merge`,
    ),
  ];
}

function isExclusive(channel: Readonly<Record<string, unknown>> | undefined): boolean {
  return channel !== undefined && describeReducer(channel['reducer'])?.isExclusive === true;
}
