import { END, hasErrors, START } from '../graph/definition/index.ts';
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
} from '../graph/definition/index.ts';
import { toMermaid, toPlantUml } from '../graph/diagram/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';
import type { ChannelName, Channels, NoChannels } from './channel-update.ts';
import type { BranchInput, ForEachOptions, EdgeSource, EdgeTarget } from './edge-input.ts';
import { findIssues } from './find-issues.ts';
import type { CompileOptions, GraphSettings, OtherFields } from './graph-settings.ts';
import { InvalidGraphError } from './invalid-graph-error.ts';
import { jsonCopy } from './json-copy.ts';
import type { NewId, NewName, NodeInput } from './node-input.ts';
import { findSuccessors } from './find-successors.ts';

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
    addNew(this.#channels, name, { value: jsonCopy<ChannelDefinition>(channel), what: 'channel' });
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
   * @param to the node, then options
   */
  addForEach(
    from: EdgeSource<Id>,
    forEach: string,
    ...[to, options]: readonly [to: Id, options?: ForEachOptions]
  ): this {
    return this.#addEdge(jsonCopy<ForEachEdge>({ from, forEach, to, maxConcurrency: options?.maxConcurrency }));
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
    return findIssues(this.toJSON(), options);
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
    addNew(this.#nodes, id, { value: jsonCopy<NodeDefinition>(node), what: 'node' });
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

function addNew<T>(known: Map<string, T>, name: string, { value, what }: { value: T; what: string }): void {
  if (known.has(name)) throw new Error(`The graph has a ${what} "${name}" already: give the second another name`);
  known.set(name, value);
}
