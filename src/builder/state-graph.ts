import { END, hasErrors, START, DEFAULTS, NO_CEILINGS } from '../graph/definition/index.ts';
import type {
  ChannelDefinition,
  Defaults,
  EdgeDefinition,
  ForEachEdge,
  GraphDefinition,
  GraphIssue,
  Limits,
  NodeDefinition,
  RouteEdge,
  Catalog,
  CustomNodeDefinition,
  NodeOfType,
  NodeType,
} from '../graph/definition/index.ts';
import { toMermaid, toPlantUml, arrowsOfNode, arrowsOfEdge } from '../graph/diagram/index.ts';
import { CATALOG_CODES, validateGraph } from '../graph/validate/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';
import type { ChannelName, Channels, NoChannels, NodeWrites } from './channel-update.ts';
import type { CompileOptions, GraphSettings, OtherFields } from './graph-settings.ts';
import { InvalidGraphError } from './invalid-graph-error.ts';
import { toJson, toList, toJsonObject } from '../graph/values/index.ts';

/**
 * Builds a graph definition with compile-time checks. The builder's type knows its channels and nodes: an unknown name
 * or a wrong write is a compile error.
 *
 * Calls are chained: each returns the builder with a more precise type. Edges name nodes added before, `START` or `END`;
 * `onError.to` and `mayGoto` may name later ones, which `compile` checks. A text in `{{ }}` fits every channel.
 */
export class StateGraph<const C extends Channels = NoChannels, Id extends string = never> {
  readonly #nodes = new Map<string, NodeDefinition>();
  readonly #edges: EdgeDefinition[] = [];
  #channels: Map<string, ChannelDefinition> | null;
  #others: OtherFields;

  constructor({ channels, ...others }: GraphSettings<C>) {
    this.#channels = channels ? new Map(Object.entries(jsonCopy<Channels>(channels))) : null;
    this.#others = jsonCopy<OtherFields>(others);
  }

  /** Declares a channel. Nodes added later may write it. */
  addChannel<const Name extends string, const Channel extends ChannelDefinition>(
    name: NewName<Name, keyof C>,
    channel: Channel,
  ): StateGraph<C & Readonly<Record<Name, Channel>>, Id>;
  addChannel(name: string, channel: ChannelDefinition): this {
    this.#channels ??= new Map();
    addNew('channel', this.#channels, name, jsonCopy<ChannelDefinition>(channel));
    return this;
  }

  /** Adds a node. Types that are not built in are registered by code and may have any fields. */
  addNode<const New extends string, const Type extends string>(
    id: NewId<New, Id>,
    node: NodeInput<Type, C>,
  ): StateGraph<C, Id | New>;
  addNode(id: string, node: NodeDefinition): this {
    return this.#addNode(id, node);
  }

  /** Adds an edge. A list as `from` is a join: the target runs when all of them have finished. */
  addEdge(from: EdgeSource<Id>, to: EdgeTarget<Id>): this {
    return this.#addEdge({ from, to });
  }

  /**
   * Adds edges from each step to the next. A step is `[id, node]`, which adds the node, or the id of an existing one;
   * `START` may come first and `END` last.
   */
  addSequence<const New extends string, const Type extends string>(
    steps: readonly (Id | typeof START | typeof END | readonly [NewId<New, Id>, NodeInput<Type, C>])[],
  ): StateGraph<C, Id | New>;
  addSequence(steps: readonly (Id | typeof START | typeof END | readonly [NewId<string, Id>, NodeDefinition])[]): this {
    let from: string | null = null;
    for (const step of steps) {
      const to = typeof step === 'object' ? step[0] : step;
      if (typeof step === 'object') this.#addNode(...step);
      if (from !== null) this.#addEdge({ from, to });
      from = to;
    }
    return this;
  }

  /**
   * Adds an edge whose target depends on the value of an expression.
   * @param route CEL that returns a key of `paths`, or a list of keys
   * @param paths the target of each key, then the target of all other values
   */
  addConditionalEdges(
    from: EdgeSource<Id>,
    route: string,
    ...[paths, otherwise]: readonly [paths: Readonly<Record<string, EdgeTarget<Id>>>, otherwise?: EdgeTarget<Id>]
  ): this {
    return this.#addEdge(jsonCopy<RouteEdge>({ from, route, paths, default: otherwise }));
  }

  /** Adds an edge to the first branch whose `when` is true. */
  addBranches(from: EdgeSource<Id>, branches: readonly BranchInput<Id>[]): this {
    return this.#addEdge({ from, branches });
  }

  /**
   * Runs a node once for each element of a list, in parallel.
   * @param forEach CEL that returns the list
   * @param to the node, or how the node of each element is chosen; then options
   */
  addForEach(
    from: EdgeSource<Id>,
    forEach: string,
    ...[to, options]: readonly [to: Id | ElementRoute<Id>, options?: ForEachOptions]
  ): this {
    const targets = typeof to === 'string' ? { to } : to;
    const maxConcurrency = options?.maxConcurrency;
    return this.#addEdge(jsonCopy<ForEachEdge>({ from, forEach, ...targets, maxConcurrency }));
  }

  /** Adds an edge from `START`. */
  setEntryPoint(id: Id): this {
    return this.#addEdge({ from: START, to: id });
  }

  /** Adds an edge to `END`. */
  setFinishPoint(id: Id): this {
    return this.#addEdge({ from: id, to: END });
  }

  /** Adds nodes before which the run pauses on every visit; `"*"` means all nodes. */
  interruptBefore(...ids: readonly ['*'] | readonly Id[]): this {
    return this.#set({ interruptBefore: [...(this.#others.interruptBefore ?? []), ...ids] });
  }

  /** Adds nodes after which the run pauses on every visit; `"*"` means all nodes. */
  interruptAfter(...ids: readonly ['*'] | readonly Id[]): this {
    return this.#set({ interruptAfter: [...(this.#others.interruptAfter ?? []), ...ids] });
  }

  /** Sets the input channels of runs; by default all channels. */
  input(...channels: readonly ChannelName<C>[]): this {
    return this.#set({ input: channels });
  }

  /** Sets the input channels that every new run must be given; by default none. */
  required(...channels: readonly ChannelName<C>[]): this {
    return this.#set({ required: channels });
  }

  /** Sets the output channels of runs; by default all channels. */
  output(...channels: readonly ChannelName<C>[]): this {
    return this.#set({ output: channels });
  }

  /** Sets limits of runs; others stay. */
  limits(limits: Limits): this {
    return this.#set({ limits: { ...this.#others.limits, ...limits } });
  }

  /** Sets defaults of nodes; others stay. */
  defaults(defaults: Defaults): this {
    return this.#set({ defaults: { ...this.#others.defaults, ...defaults } });
  }

  /** Returns all issues of the current graph, warnings included. Names are checked as by `compile`. */
  issues(options: CompileOptions = {}): readonly GraphIssue<IssueCode>[] {
    return findAllIssues(this.toJSON(), options);
  }

  /**
   * Returns the definition. Without a catalog, names of tools, models, functions, graphs and node types are not
   * checked, since only an installation knows them; but a node type that resembles a built-in one is an error.
   * @throws InvalidGraphError with all issues, if one of them is an error
   */
  compile(options: CompileOptions = {}): GraphDefinition {
    const issues = this.issues(options);
    if (hasErrors(issues)) throw new InvalidGraphError(this.#others.name, issues);
    return this.toJSON();
  }

  /** Returns the current definition, unchecked. */
  toJSON(): GraphDefinition {
    const { $schema, name, description, ...others } = this.#others;
    return jsonCopy<GraphDefinition>({
      $schema,
      name,
      description,
      channels: this.#channels ? Object.fromEntries(this.#channels) : undefined,
      nodes: Object.fromEntries(this.#nodes),
      edges: this.#edges,
      ...others,
    });
  }

  /** Draws the current graph as a Mermaid diagram. */
  toMermaid(): string {
    return toMermaid(this.toJSON());
  }

  /** Draws the current graph as a PlantUML diagram. */
  toPlantUml(): string {
    return toPlantUml(this.toJSON());
  }

  /** Returns the nodes that a node, or `START`, may lead to: by any edge, `onError` or `mayGoto`; sorted by id. */
  successors(id: Id | typeof START): readonly string[] {
    return findSuccessors(this.toJSON(), id);
  }

  #addNode(id: string, node: NodeDefinition): this {
    addNew('node', this.#nodes, id, jsonCopy<NodeDefinition>(node));
    return this;
  }

  #addEdge(edge: EdgeDefinition): this {
    this.#edges.push(jsonCopy<EdgeDefinition>(edge));
    return this;
  }

  #set(fields: Partial<OtherFields>): this {
    this.#others = { ...this.#others, ...jsonCopy<Partial<OtherFields>>(fields) };
    return this;
  }
}

function addNew<T>(kind: 'channel' | 'node', known: Map<string, T>, name: string, value: T): void {
  if (known.has(name)) throw new Error(`The graph has a ${kind} "${name}" already: give the second another name`);
  known.set(name, value);
}

type OneOrMore<T> = T | readonly T[];

/** A node or the start; a list waits for all of them. */
export type EdgeSource<Id> = OneOrMore<Id | typeof START>;

/** A node or the end, or a list of them. */
export type EdgeTarget<Id> = OneOrMore<Id | typeof END>;

/** A branch; the one without `when` is the default. */
export interface BranchInput<Id> {
  /** CEL that returns a boolean. */
  readonly when?: string;
  /** A node, `END`, or a list of them. */
  readonly to: EdgeTarget<Id>;
}

/** Chooses the targets of each element by the value of `route`: CEL over `item` and `index`. */
export interface ElementRoute<Id extends string> {
  readonly route: string;
  /** The targets of each value. */
  readonly paths: Readonly<Record<string, EdgeTarget<Id>>>;
  /** The targets of all other values. Without it, such a value fails the run. */
  readonly default?: EdgeTarget<Id>;
}

export interface ForEachOptions {
  /** Number of elements that run at the same time. */
  readonly maxConcurrency?: number;
}

/** A node type of which nothing is known but its name. */
const ANY_NODE = { schema: {}, effect: 'idempotent' } as const;

const EMPTY_CATALOG: Catalog = { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: NO_CEILINGS };

/**
 * Finds all issues of a definition. Without a catalog, a node type that resembles a built-in one is taken for a mistake,
 * unless it is named.
 */
function findAllIssues(
  definition: GraphDefinition,
  { catalog, nodeTypes = [] }: CompileOptions,
): readonly GraphIssue<IssueCode>[] {
  if (catalog) return validateGraph(toJson(definition), catalog);
  const own = Object.fromEntries(nodeTypes.map((type) => [type, ANY_NODE]));
  const issues = validateGraph(toJson(definition), { ...EMPTY_CATALOG, nodeTypes: own });
  return issues.flatMap(withoutCatalogNames);
}

function withoutCatalogNames(issue: GraphIssue<IssueCode>): readonly GraphIssue<IssueCode>[] {
  if (issue.code === 'UNKNOWN_NODE_TYPE' && SUGGESTS.test(issue.message))
    return [{ ...issue, message: `${issue.message} Name a type of your own in \`nodeTypes\`.` }];
  return CATALOG_CODES.has(issue.code) ? [] : [issue];
}

const SUGGESTS = / Did you mean "[^"]*"\?$/;

/** Finds the nodes that a node may lead to: by any edge, by `onError` and by `mayGoto`; sorted by id. */
function findSuccessors({ nodes, edges }: GraphDefinition, id: string): readonly string[] {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  const edgeTargets = edges.filter(({ from }) => toList(from).includes(id)).flatMap(arrowsOfEdge);
  const detours = node ? arrowsOfNode(node) : [];
  const found = new Set([...edgeTargets, ...detours].map(({ to }) => to));
  found.delete(END);
  return [...found].sort();
}

/** The same type, with members that may be `undefined`, which JSON omits. */
type WithUndefined<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/**
 * Copies a value as JSON; the copy has the same type.
 * @throws NotJsonError, which names the path, for values that are not JSON
 */
function jsonCopy<T extends object>(value: WithUndefined<T>): T;
function jsonCopy(value: object): object {
  return toJsonObject(value);
}

/** A node for `addNode`. A built-in type has exactly its fields; a type that code registers may have any. */
export type NodeInput<Type extends string, C> = { readonly type: Type } & (Type extends NodeType
  ? WithChannels<NodeOfType<Type>, C>
  : WithChannels<CustomNodeDefinition, C> & { readonly type: Type });

/** The same fields, with declared channels only. */
type WithChannels<Node, C> = {
  readonly [Field in keyof Node]: Field extends keyof ChannelFields<C> ? ChannelFields<C>[Field] : Node[Field];
};

interface ChannelFields<C> {
  readonly write: ChannelName<C> | NodeWrites<C>;
  readonly onError: 'intervene' | { readonly to: string; readonly write?: NodeWrites<C> };
  readonly messages: ChannelName<C>;
  readonly calls: ChannelName<C>;
}

/** A name that is not taken. Names that are unknown at compile time are checked when they are added. */
export type NewName<New extends string, Taken> = string extends Taken ? New : Exclude<New, Taken>;

/** The id of a new node. */
export type NewId<New extends string, Id> = NewName<New, Id | typeof START | typeof END>;
