import type { NodeType } from '../definition.ts';
import { agent } from './agent.ts';
import { approval } from './approval.ts';
import { functionNode } from './function.ts';
import { llm } from './llm.ts';
import type { DescriptionOf } from './node-description.ts';
import { set } from './set.ts';
import { subgraph } from './subgraph.ts';
import { tool } from './tool.ts';
import { wait } from './wait.ts';

/** The node types of the language. Each has its own file. */
export const NODE_TYPES: { readonly [T in NodeType]: DescriptionOf<T> } = {
  set,
  llm,
  agent,
  tool,
  function: functionNode,
  approval,
  subgraph,
  wait,
};
