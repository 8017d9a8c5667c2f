import type { ChannelSet } from '../channels/channel.ts';
import { toCallPolicy } from '../definition/call-policy.ts';
import type { CallPolicy, CallSettings } from '../definition/call-policy.ts';
import type { Catalog } from '../definition/catalog.ts';
import type { Defaults } from '../definition/definition.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import { parseTemplate } from '../expression/template.ts';
import type { Template } from '../expression/template.ts';
import type { Json } from '../values/json.ts';

/** What a node is compiled with: its graph's defaults and the installation's catalog. */
export interface NodeSettings {
  readonly id: string;
  readonly catalog: Catalog;
  readonly defaults: Defaults;
  /** The graph inside a subgraph node, compiled. */
  readonly subgraph: ChannelSet | null;
}

/** Parses a templated field of a node; an absent one is filled with `fallback`. */
export function field(name: string, value: Json | undefined, fallback: Json): Template {
  return parseTemplate(value ?? fallback, NODE_NAMES, name);
}

/** The policy of a node's call: the node's own words win over those of what it calls, then the graph's, then the installation's. */
export function policyOf(
  node: CallSettings & { readonly deadline?: string },
  called: CallSettings,
  { catalog, defaults }: NodeSettings,
): CallPolicy {
  return toCallPolicy([node, called, defaults], catalog.defaults, node.deadline);
}
