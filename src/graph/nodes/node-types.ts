import type { NodeOfType, NodeType } from '../definition/definition.ts';
import { compileAgent } from './agent.ts';
import { compileApproval } from './approval.ts';
import { toJsonObject } from '../values/json.ts';
import { compileCustom } from './custom.ts';
import { compileFunction } from './function.ts';
import { compileLlm } from './llm.ts';
import type { NodeSettings } from './node-settings.ts';
import type { NodeBehavior } from './behavior.ts';
import { compileSet } from './set.ts';
import { compileSubgraph } from './subgraph.ts';
import { compileTool } from './tool.ts';
import { compileWait } from './wait.ts';

type NodeCompiler<T extends NodeType> = (node: NodeOfType<T>, scope: NodeSettings) => NodeBehavior;

/** How each type of node is compiled: one file a type. */
const nodeTypes: { readonly [T in NodeType]: NodeCompiler<T> } = {
  set: compileSet,
  llm: compileLlm,
  agent: compileAgent,
  tool: compileTool,
  function: compileFunction,
  approval: compileApproval,
  subgraph: compileSubgraph,
  wait: compileWait,
};

export function compileBehavior<T extends NodeType>(node: NodeOfType<T>, scope: NodeSettings): NodeBehavior {
  if (!Object.hasOwn(nodeTypes, node.type)) return compileCustom(node, toJsonObject(node), scope);
  return nodeTypes[node.type](node, scope);
}
