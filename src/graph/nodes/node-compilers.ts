import type { NodeOfType } from '../definition/definition.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';
import { compileAgent } from './agent.ts';
import { compileApproval } from './approval.ts';
import type { NodeBehavior } from './behavior.ts';
import { compileFunction } from './function.ts';
import { compileLlm } from './llm.ts';
import type { NodeSettings } from './node-settings.ts';
import { compileSet } from './set.ts';
import { compileSubgraph } from './subgraph.ts';
import { compileTool } from './tool.ts';
import { compileWait } from './wait.ts';

type NodeCompiler<T extends NodeType> = (node: NodeOfType<T>, settings: NodeSettings) => NodeBehavior;

/** The compiler of each node type. It makes the behavior of a node. */
export const NODE_COMPILERS: { readonly [T in NodeType]: NodeCompiler<T> } = {
  set: compileSet,
  llm: compileLlm,
  agent: compileAgent,
  tool: compileTool,
  function: compileFunction,
  approval: compileApproval,
  subgraph: compileSubgraph,
  wait: compileWait,
};
