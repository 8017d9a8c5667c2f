import type { ChannelSet } from '../channels/channel.ts';
import { toCallPolicy } from '../definition/call-policy.ts';
import type { CallPolicy, CallSettings } from '../definition/call-policy.ts';
import type { Catalog, ToolEntry } from '../definition/catalog.ts';
import type { Defaults, GraphDefinition } from '../definition/definition.ts';
import type { Execution } from '../definition/execution.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import { parseTemplate } from '../expression/template.ts';
import type { Template } from '../expression/template.ts';
import type { Json } from '../values/json.ts';

/** The surroundings that a node is compiled in. */
export interface NodeSettings {
  readonly id: string;
  /** The installation's tools, models and functions. */
  readonly catalog: Catalog;
  /** The nodes of the node's graph. */
  readonly nodes: GraphDefinition['nodes'];
  /** The defaults of the node's graph. */
  readonly defaults: Defaults;
  /** The compiled graph inside a subgraph node. */
  readonly subgraph: ChannelSet | null;
  /** The graphs among the tools of the node, by the tools' names. */
  readonly graphTools: Readonly<Record<string, CallableGraph>>;
}

/** A published graph that a model may call. */
export interface CallableGraph {
  /** The name of the graph, and its version. */
  readonly reference: string;
  readonly entry: ToolEntry;
  readonly channels: ChannelSet;
}

/** Fields of a node that limit its calls. */
export type NodeCallSettings = CallSettings & { readonly deadline?: string };

/** The field of a node that says where its calls run. */
export interface ExecutionField {
  readonly execution?: Execution;
}

/** Parses a templated field of a node; an absent one becomes `fallback`. */
export function field(name: string, value: Json | undefined, fallback: Json): Template {
  return parseTemplate(value ?? fallback, NODE_NAMES, name);
}

/** The policy of a node's call. Settings of the node win over the called code's, the graph's and the installation's. */
export function policyOf(
  node: NodeCallSettings,
  called: CallSettings,
  { catalog, defaults }: NodeSettings,
): CallPolicy {
  return toCallPolicy([node, called, defaults], catalog.defaults, node.deadline);
}
