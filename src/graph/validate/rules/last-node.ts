import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { lastNodeOf } from './unknown-nodes.ts';

/** Types of nodes that would keep a run that somebody wants to end. */
const WAITING: ReadonlySet<string> = new Set(['approval', 'wait', 'subgraph', 'agent']);

/** `INVALID_FIELD` where the node that ends canceled runs would wait for people, clocks or another graph. */
export const lastNode: Rule = (subject) =>
  lastNodeOf(subject).flatMap(({ name, path }) => {
    const type = subject.nodes.get(name)?.type ?? '';
    return WAITING.has(type)
      ? [error('INVALID_FIELD', path, `Node "${name}" is of type ${type}: it would keep a canceled run from ending`)]
      : [];
  });
