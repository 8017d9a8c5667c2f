import { START } from '../../definition/definition.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** `MISSING_ENTRY_POINT`: no edge leaves `__start__`. */
export const entryPoint: Rule = ({ edges }) => {
  const leaves = edges.some(({ sources }) => sources.some(({ name }) => name === START));
  return leaves ? [] : [error('MISSING_ENTRY_POINT', '/edges', `No edge leaves ${START}: the graph would never begin`)];
};
