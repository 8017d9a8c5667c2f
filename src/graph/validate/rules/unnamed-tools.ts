import { toolsOfCalls } from '../../definition/graph-tools.ts';
import { defineRule, error } from '../rule.ts';

/** Finds a node with `calls` that names no tools, although the channel is not written by exactly one `llm` node. */
export const unnamedTools = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes }) => {
    const all = [...nodes.values()];
    return all.flatMap(({ fields, path, description: { makesCalls } }) => {
      if (!makesCalls || fields[makesCalls.tools] !== undefined) return [];
      const channel = fields[makesCalls.channel];
      if (typeof channel !== 'string' || toolsOfCalls(channel, all)) return [];
      const message = `Name this node's tools in "${makesCalls.tools}": not one llm node alone writes "${channel}".`;
      return [error('INVALID_FIELD', path, message)];
    });
  },
});
