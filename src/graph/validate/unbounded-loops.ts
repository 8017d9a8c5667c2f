import { warning } from './rule.ts';
import type { Rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** `UNBOUNDED_LOOP`: a cycle that no condition ever leaves. */
export const unboundedLoops: Rule = (subject) => {
  const onward = plainSteps(subject);
  const done = new Set<string>();
  return [...subject.nodes.keys()].flatMap((start) => {
    if (done.has(start)) return [];
    const cycle = cycleThrough(start, onward);
    cycle?.forEach((node) => done.add(node));
    return cycle ? [toWarning(subject, cycle)] : [];
  });
};

/** Where plain edges lead, past nodes that no `maxVisits` bounds. */
function plainSteps({ edges, nodes }: Subject): ReadonlyMap<string, readonly string[]> {
  const onward = new Map<string, string[]>();
  const isBounded = (node: string): boolean => nodes.get(node)?.fields['maxVisits'] !== undefined;
  for (const { kind, sources, targets } of edges) {
    if (kind !== 'plain') continue;
    for (const { name } of sources) {
      if (!isBounded(name)) onward.set(name, [...(onward.get(name) ?? []), ...targets.map((target) => target.name)]);
    }
  }
  return onward;
}

/** The shortest way from a node back to itself. */
function cycleThrough(start: string, onward: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of onward.get(node) ?? []) {
      if (next === start) return wayTo(node, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return null;
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [end];
  while (way[0] !== undefined && way[0] !== start) way.unshift(cameFrom.get(way[0]) ?? start);
  return way;
}

function toWarning({ edges }: Subject, cycle: readonly string[]): ReturnType<Rule>[number] {
  const [first = '', second = first] = cycle;
  const edge = edges.find(
    ({ sources, targets }) => sources.some(({ name }) => name === first) && targets.some(({ name }) => name === second),
  );
  return warning('UNBOUNDED_LOOP', edge?.path ?? '/edges', {
    message: `Nothing ever leaves the loop ${[...cycle, first].join(' → ')}; only maxSteps ends it`,
    hint: 'Leave it by branches, or set maxVisits on one of its nodes',
  });
}
