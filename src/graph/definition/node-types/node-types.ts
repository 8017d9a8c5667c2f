import type { CommonFields } from '../common-fields.ts';
import { agent } from './agent.ts';
import type { AgentFields } from './agent.ts';
import { approval } from './approval.ts';
import type { ApprovalFields } from './approval.ts';
import { functionNode } from './function.ts';
import type { FunctionFields } from './function.ts';
import { llm } from './llm.ts';
import type { ModelFields } from './model-fields.ts';
import type { DescriptionOf } from './node-description.ts';
import { set } from './set.ts';
import { subgraph } from './subgraph.ts';
import type { SubgraphFields } from './subgraph.ts';
import { tool } from './tool.ts';
import type { ToolFields } from './tool.ts';
import { wait } from './wait.ts';
import type { WaitFields } from './wait.ts';

/** The fields of each node type, next to `type`. `Graph` is the type of a definition inside a node. */
export interface NodeFields<Graph> {
  readonly set: CommonFields;
  readonly llm: ModelFields;
  readonly agent: AgentFields;
  readonly tool: ToolFields;
  readonly function: FunctionFields;
  readonly approval: ApprovalFields;
  readonly subgraph: SubgraphFields<Graph>;
  readonly wait: WaitFields;
}

export type NodeType = keyof NodeFields<unknown>;

/** The description of each node type of the language. */
export const NODE_TYPES: { readonly [T in NodeType]: DescriptionOf<NodeFields<unknown>[T]> } = {
  set,
  llm,
  agent,
  tool,
  function: functionNode,
  approval,
  subgraph,
  wait,
};
