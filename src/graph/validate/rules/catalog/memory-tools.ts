import { isJsonList, isJsonObject } from '../../../values/json.ts';
import { defineRule, error } from '../../rule.ts';

/** Finds a second memory among a node's tools: its tools would have the names of the first. */
export const memoryTools = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes }) =>
    [...nodes.values()].flatMap(({ fields, path }) => {
      const { tools } = fields;
      if (!isJsonList(tools)) return [];
      const memories = [...tools.entries()].filter(([, tool]) => isJsonObject(tool));
      return memories
        .slice(1)
        .map(([index]) => error('INVALID_FIELD', `${path}/tools/${index}`, 'A node has one memory among its tools'));
    }),
});
