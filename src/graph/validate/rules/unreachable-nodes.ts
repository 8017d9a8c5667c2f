import { START } from '../../definition/definition.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Subject } from '../subject.ts';
import { gotoTargetsOf, lastNodeOf } from './unknown-nodes.ts';

/** `UNREACHABLE_NODE`: no path leads from the start to the node. */
export const unreachableNodes: Rule = (subject) => {
  const reached = reachable(subject);
  if (reached.size === 1) return [];
  return [...subject.nodes.values()]
    .filter(({ id }) => !reached.has(id))
    .map(({ id, path }) => error('UNREACHABLE_NODE', path, `Nothing leads to node "${id}"`));
};

function reachable(subject: Subject): ReadonlySet<string> {
  const { edges, nodes } = subject;
  const onward = new Map<string, string[]>();
  const lead = (from: string, to: readonly { readonly name: string }[]): void => {
    onward.set(from, [...(onward.get(from) ?? []), ...to.map(({ name }) => name)]);
  };
  for (const { sources, targets } of edges) for (const { name } of sources) lead(name, targets);
  for (const node of nodes.values()) lead(node.id, gotoTargetsOf(node));
  lead(START, lastNodeOf(subject));
  const reached = new Set([START]);
  for (const node of reached) for (const next of onward.get(node) ?? []) reached.add(next);
  return reached;
}
