import { canonicalJson } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** `DUPLICATE_EDGE`: an entry that equals an earlier one. */
export const duplicateEdges: Rule = ({ edges }) => {
  const first = new Map<string, string>();
  return edges.flatMap(({ fields, path }) => {
    const key = canonicalJson(fields);
    const earlier = first.get(key);
    if (earlier !== undefined) return [error('DUPLICATE_EDGE', path, `The same edge stands at ${earlier}`)];
    first.set(key, path);
    return [];
  });
};
