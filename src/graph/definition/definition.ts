import type { JsonSchema } from '../values/json-schema.ts';
import { isJsonList, isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { DetourDefinition, RetryDefinition } from './common-fields.ts';
import type { ReducerName } from './reducers.ts';
import type { Limits } from './limits.ts';
import type { MessageRole } from './message.ts';
import type { NodeFields, NodeType } from './node-types/node-types.ts';

/** The public language (docs/reference/definition.md) as types. Definitions are plain JSON. */
export interface GraphDefinition {
  /** The address of the JSON Schema, for editors. */
  readonly $schema?: string;
  /** The name under which the graph is published: lower-case letters, digits and `-`. */
  readonly name: string;
  /** A text for people. */
  readonly description?: string;
  /** The state of a run: its channels, by name. */
  readonly channels?: Readonly<Record<string, ChannelDefinition>>;
  /** The nodes, by id. */
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  /** The edges between nodes. Each fires on its own. */
  readonly edges: readonly EdgeDefinition[];
  /** The channels that may be set at the start of a run; all of them by default. */
  readonly input?: readonly string[];
  /** The input channels that every new run must be given, whatever their defaults. */
  readonly required?: readonly string[];
  /** The channels that are its runs' output; all of them by default. */
  readonly output?: readonly string[];
  /** Node ids, or `["*"]` for all: the run pauses before them. */
  readonly interruptBefore?: readonly string[];
  /** Node ids, or `["*"]` for all: the run pauses after them. */
  readonly interruptAfter?: readonly string[];
  /** The limits and budgets of a run. */
  readonly limits?: Limits;
  /** Values for fields that its nodes do not set. */
  readonly defaults?: Defaults;
  /** The node that runs last when a run is canceled. Neither it nor a node inside it may wait. */
  readonly onCancel?: string;
  /** The node that runs last when a run fails, after its compensation. Neither it nor a node inside it may wait. */
  readonly onFail?: string | DetourDefinition;
}

/** True if a value is a definition. Use it only for stored values, whose definitions are already validated. */
export function isDefinition(value: Json): value is GraphDefinition & JsonObject {
  return isJsonObject(value) && isJsonObject(value['nodes']) && isJsonList(value['edges']);
}

export const START = '__start__';
export const END = '__end__';

export interface ChannelDefinition {
  /** How a write changes the value: a name, or an expression; `replace` by default. */
  readonly reducer?: ReducerName | { readonly expr: string };
  /** The first value. Without it, the reducer says what the channel begins with. */
  readonly default?: Json;
  /** JSON Schema (2020-12) of the value. */
  readonly schema?: JsonSchema;
  /** True: the value can be read only in the superstep after its write, and is in no checkpoint. */
  readonly ephemeral?: boolean;
  /** True: hides the value from people without the permission to see payloads. */
  readonly redact?: boolean;
  /** The roles of messages that the channel takes from outside; `user` alone by default. */
  readonly roles?: readonly MessageRole[];
  /** A text for people. */
  readonly description?: string;
}

export interface Defaults {
  /** The model of nodes that name none: a name, or several, each the fallback of the one before. */
  readonly model?: string | readonly string[];
  /** The time limit of one attempt of a call: "30s", "5m", "2h". */
  readonly timeout?: string;
  /** The number of attempts of a call, and the time between them. */
  readonly retry?: RetryDefinition;
}

export type NodeDefinition = NodeOfType<NodeType>;
export type NodeOfType<T extends NodeType> = {
  [K in T]: { readonly type: K } & NodeFields<GraphDefinition>[K];
}[T];

/** A node id, `__end__`, or several of them. */
export type Target = string | readonly string[];

export interface PlainEdge {
  /** A node id or `__start__`. A list is a join: it waits for all of them. */
  readonly from: Target;
  /** A node id, `__end__`, or several of them. */
  readonly to: Target;
}

export interface BranchesEdge {
  /** A node id or `__start__`. A list is a join: it waits for all of them. */
  readonly from: Target;
  /** The branches, in the order in which their conditions are tried. */
  readonly branches: readonly Branch[];
}

export interface Branch {
  /** CEL over `state`: true if this branch is taken. Without it, the branch is the default. */
  readonly when?: string;
  /** A node id, `__end__`, or several of them. */
  readonly to: Target;
}

export interface RouteEdge {
  /** A node id or `__start__`. A list is a join: it waits for all of them. */
  readonly from: Target;
  /** CEL that gives a text, or a list of texts for several targets at once. */
  readonly route: string;
  /** The target of each value. */
  readonly paths: Readonly<Record<string, Target>>;
  /** The target of all other values. Without it, such a value fails the run. */
  readonly default?: Target;
}

/** One task for each element of a list: of the node `to`, or of the node that `route` chooses for the element. */
export interface ForEachEdge {
  /** A node id or `__start__`. A list is a join: it waits for all of them. */
  readonly from: Target;
  /** CEL that gives a list. */
  readonly forEach: string;
  /** The node that runs once for each element. */
  readonly to?: string;
  /** In place of `to`: CEL over `item` and `index` that gives the text, or texts, by which `paths` has the targets. */
  readonly route?: string;
  /** With `route`: the targets of each value. */
  readonly paths?: Readonly<Record<string, Target>>;
  /** With `route`: the targets of all other values. Without it, such a value fails the run. */
  readonly default?: Target;
  /** The number of elements that are worked on at a time; all of them by default. */
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

/** One function for each kind of edge. */
export type EdgeTable<Result> = { readonly [Kind in EdgeKind]: (edge: EdgeByKind[Kind]) => Result };

/** Calls the function for the kind of an edge. */
export function forEdge<Result>(edge: EdgeDefinition, table: EdgeTable<Result>): Result {
  if ('branches' in edge) return table.branches(edge);
  if ('forEach' in edge) return table.forEach(edge);
  if ('route' in edge) return table.route(edge);
  return table.plain(edge);
}

/** Returns the targets that a route may choose. */
export function targetsOfPaths({ paths, default: otherwise }: Pick<RouteEdge, 'paths' | 'default'>): readonly Target[] {
  return [...Object.values(paths), ...(otherwise === undefined ? [] : [otherwise])];
}

/** Returns the targets that a `forEach` may choose for an element. */
export function targetsOfForEach({ to, paths = {}, default: otherwise }: ForEachEdge): readonly Target[] {
  return to === undefined ? targetsOfPaths({ paths, ...(otherwise !== undefined && { default: otherwise }) }) : [to];
}

/** Returns the kind of an edge that may have the wrong shape. */
export function kindOfEdge(fields: object): EdgeKind {
  return NAMED_FIELDS.find((field) => field in fields) ?? 'plain';
}

/** The kinds with a field of the same name. A `forEach` may have a `route`, so it comes first. */
const NAMED_FIELDS = ['branches', 'forEach', 'route'] as const satisfies readonly EdgeKind[];

/** The newest interpreter. docs/versioning.md explains when and how to raise it. */
export const INTERPRETER_VERSION = 1;

/**
 * An error or warning about a definition (docs/reference/errors.md). The rules of `graph/validate` name the codes.
 */
export interface GraphIssue<Code extends string = string> {
  readonly code: Code;
  readonly severity: 'error' | 'warning';
  /** JSON Pointer to the invalid value, or to the object in which a value is missing. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

export function hasErrors(issues: readonly GraphIssue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** The name of a graph. */
export const GRAPH_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** The id of a node, or the name of a channel. */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
