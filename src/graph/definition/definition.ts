import type { JsonSchema } from '../values/json-schema.ts';
import type { Json } from '../values/json.ts';
import type { RetryDefinition } from './common-fields.ts';
import type { Limits } from './limits.ts';
import type { MessageRole } from './message.ts';
import type { NodeFields, NodeType } from './node-types/node-types.ts';
import type { ReducerName } from './reducers.ts';

/** The public language (specification "Graph definition, version 1") as types. Definitions are plain JSON. */
export interface GraphDefinition {
  readonly $schema?: string;
  readonly name: string;
  readonly description?: string;
  readonly channels?: Readonly<Record<string, ChannelDefinition>>;
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly edges: readonly EdgeDefinition[];
  readonly input?: readonly string[];
  /** The input channels that every new run must be given. */
  readonly required?: readonly string[];
  readonly output?: readonly string[];
  /** Node ids, or `["*"]` for all of them. */
  readonly interruptBefore?: readonly string[];
  readonly interruptAfter?: readonly string[];
  readonly limits?: Limits;
  readonly defaults?: Defaults;
  /** The node that runs last when a run is canceled. Neither it nor a node inside it may wait. */
  readonly onCancel?: string;
}

export const START = '__start__';
export const END = '__end__';

export interface ChannelDefinition {
  readonly reducer?: ReducerName | { readonly expr: string };
  readonly default?: Json;
  readonly schema?: JsonSchema;
  readonly ephemeral?: boolean;
  readonly redact?: boolean;
  /** The roles of messages that the channel takes from outside; `user` alone if absent. */
  readonly roles?: readonly MessageRole[];
  readonly description?: string;
}

export interface Defaults {
  readonly model?: string | readonly string[];
  readonly timeout?: string;
  readonly retry?: RetryDefinition;
}

export type NodeDefinition = NodeOfType<NodeType>;
export type NodeOfType<T extends NodeType> = {
  [K in T]: { readonly type: K } & NodeFields<GraphDefinition>[K];
}[T];

/** A node id, `__end__`, or several of them. */
export type Target = string | readonly string[];

export interface PlainEdge {
  readonly from: Target;
  readonly to: Target;
}

export interface BranchesEdge {
  readonly from: Target;
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly when?: string;
  readonly to: Target;
}

export interface RouteEdge {
  readonly from: Target;
  /** CEL that returns a text, or a list of texts for several targets at once. */
  readonly route: string;
  readonly paths: Readonly<Record<string, Target>>;
  readonly default?: Target;
}

/** One task of the target for each element of a list. */
export interface ForEachEdge {
  readonly from: Target;
  /** CEL that returns a list. */
  readonly forEach: string;
  readonly to: string;
  readonly maxConcurrency?: number;
}

export interface EdgeByKind {
  readonly plain: PlainEdge;
  readonly branches: BranchesEdge;
  readonly route: RouteEdge;
  readonly forEach: ForEachEdge;
}

export type EdgeKind = keyof EdgeByKind;
export type EdgeDefinition = EdgeByKind[EdgeKind];
