import { START } from '../../definition/definition.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { addToList } from '../../values/collections.ts';
import { defineRule, error } from '../rule.ts';
import type { ValidationSubject } from '../subject.ts';
import { gotoTargetsOf, lastNodeOf } from './unknown-nodes.ts';

/** Finds a node to which no path leads from the start. */
export const unreachableNodes = defineRule({
  codes: ['UNREACHABLE_NODE'],
  find: (subject) => {
    const reached = reachableNodes(subject);
    if (reached.size === 1) return [];
    return [...subject.nodes.values()]
      .filter(({ id }) => !reached.has(id))
      .map(({ id, path }) => error('UNREACHABLE_NODE', path, `Nothing leads to node "${id}"`));
  },
});

function reachableNodes(subject: ValidationSubject): ReadonlySet<string> {
  const { edges, nodes } = subject;
  const targetLists = new Map<string, (readonly LocatedName[])[]>();
  for (const { sources, targets } of edges) for (const { name } of sources) addToList(targetLists, name, targets);
  for (const node of nodes.values()) addToList(targetLists, node.id, gotoTargetsOf(node));
  addToList(targetLists, START, lastNodeOf(subject));
  const followed = new Set<readonly LocatedName[]>();
  const reached = new Set([START]);
  for (const node of reached) {
    for (const targets of targetLists.get(node) ?? []) {
      if (followed.has(targets)) continue;
      followed.add(targets);
      for (const { name } of targets) reached.add(name);
    }
  }
  return reached;
}
