import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { lastNodeOf } from './unknown-nodes.ts';

/** `INVALID_FIELD`: the last node of canceled runs would wait for people, time or an event. */
export const lastNode: Rule = (subject) =>
  lastNodeOf(subject).flatMap(({ name, path }) => {
    const node = subject.nodes.get(name);
    return node?.description.mayWait
      ? [
          error(
            'INVALID_FIELD',
            path,
            `Node "${name}" is of type ${node.type}: it would keep a canceled run from ending`,
          ),
        ]
      : [];
  });
