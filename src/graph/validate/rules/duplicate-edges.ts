import { canonicalJson } from '../../values/compare-json.ts';
import { defineRule, error } from '../rule.ts';

/** Finds an entry that equals an earlier one. */
export const duplicateEdges = defineRule({
  codes: ['DUPLICATE_EDGE'],
  find: ({ edges }) => {
    const first = new Map<string, string>();
    return edges.flatMap(({ fields, path }) => {
      const key = canonicalJson(fields);
      const earlier = first.get(key);
      if (earlier !== undefined) return [error('DUPLICATE_EDGE', path, `The same edge stands at ${earlier}`)];
      first.set(key, path);
      return [];
    });
  },
});
