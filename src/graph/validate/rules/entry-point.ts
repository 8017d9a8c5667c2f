import { START } from '../../definition/definition.ts';
import { defineRule, error } from '../rule.ts';

/** Finds a graph in which no edge leaves `__start__`. */
export const entryPoint = defineRule({
  codes: ['MISSING_ENTRY_POINT'],
  find: ({ edges }) => {
    const hasEntry = edges.some(({ sources }) => sources.some(({ name }) => name === START));
    return hasEntry
      ? []
      : [error('MISSING_ENTRY_POINT', '/edges', `No edge leaves ${START}: the graph would never begin`)];
  },
});
