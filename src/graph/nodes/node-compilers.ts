import type { NodeOfType } from '../definition/definition.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';
import { toJsonObject } from '../values/to-json.ts';
import { compileAgent } from './agent.ts';
import { compileApproval } from './approval.ts';
import type { NodeBehavior } from './behavior.ts';
import { compileCustom, compileFunction, compileSet, compileSubgraph } from './code-nodes.ts';
import { compileLlm } from './llm.ts';
import type { NodeSettings } from './node-settings.ts';
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

/** Makes the behavior of a node by its type. A type that is not in the language is registered by code. */
export function compileBehavior<T extends NodeType>(node: NodeOfType<T>, settings: NodeSettings): NodeBehavior {
  if (!Object.hasOwn(NODE_COMPILERS, node.type)) return compileCustom(node, toJsonObject(node), settings);
  return NODE_COMPILERS[node.type](node, settings);
}
