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
import type { ChannelName, Channels, NoChannels } from './channel-update.ts';
import type { BranchInput, ForEachOptions, From, To } from './edge-input.ts';
import { findIssues } from './find-issues.ts';
import type { CompileOptions, GraphSettings, OtherFields } from './graph-settings.ts';
import { InvalidGraphError } from './invalid-graph-error.ts';
import { jsonCopy } from './json-copy.ts';
import type { NewId, NewName, NodeInput } from './node-input.ts';
import { findSuccessors } from './successors.ts';

/**
 * Writes a graph definition while the compiler looks on. The type of the builder knows the channels and the nodes that
 * are there: a name that is neither, or a write that its channel does not take, is a compile error.
 *
 * Each call changes the builder and returns it with a type that knows more, so calls are chained. An edge names nodes
 * that were added before it, `START` or `END`. `onError.to` and `mayGoto` may name nodes that are added later, so only
 * `compile` checks them. A text in `{{ }}` fits every channel: what it gives is known when the run executes.
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

  /** Declares a channel. Nodes that are added from now on may write it. */
  addChannel<const Name extends string, const Channel extends ChannelDefinition>(
    name: NewName<Name, keyof C>,
    channel: Channel,
  ): StateGraph<C & Readonly<Record<Name, Channel>>, Id>;
  addChannel(name: string, channel: ChannelDefinition): this {
    this.#channels ??= new Map();
    addNew(this.#channels, name, { value: jsonCopy<ChannelDefinition>(channel), what: 'channel' });
    return this;
  }

  /** Adds a node. A type that is not of the language is one that is registered by code; it may have any fields. */
  addNode<const New extends string, const Type extends string>(
    id: NewId<New, Id>,
    node: NodeInput<Type, C>,
  ): StateGraph<C, Id | New>;
  addNode(id: string, node: NodeDefinition): this {
    return this.#addNode(id, node);
  }

  /** Leads from one node to another. A list as `from` is a join: the target runs when all of them have finished. */
  addEdge(from: From<Id>, to: To<Id>): this {
    return this.#addEdge({ from, to });
  }

  /**
   * Leads from each step to the next. A step is `[id, node]`, which adds the node, or the id of one that is there;
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
   * Leads where the value of an expression says.
   * @param route CEL that gives a key of `paths`, or a list of them for several ways at once
   * @param paths where each value leads, then where all others do
   */
  addConditionalEdges(
    from: From<Id>,
    route: string,
    ...[paths, otherwise]: readonly [paths: Readonly<Record<string, To<Id>>>, otherwise?: To<Id>]
  ): this {
    return this.#addEdge(jsonCopy<RouteEdge>({ from, route, paths, default: otherwise }));
  }

  /** Leads to the first branch whose `when` holds. */
  addBranches(from: From<Id>, branches: readonly BranchInput<Id>[]): this {
    return this.#addEdge({ from, branches });
  }

  /**
   * Runs a node once for each element of a list, in parallel.
   * @param forEach CEL that gives the list
   * @param to the node, then options
   */
  addForEach(from: From<Id>, forEach: string, ...[to, options]: readonly [to: Id, options?: ForEachOptions]): this {
    return this.#addEdge(jsonCopy<ForEachEdge>({ from, forEach, to, maxConcurrency: options?.maxConcurrency }));
  }

  /** The same as an edge from `START`. */
  setEntryPoint(id: Id): this {
    return this.#addEdge({ from: START, to: id });
  }

  /** The same as an edge to `END`. */
  setFinishPoint(id: Id): this {
    return this.#addEdge({ from: id, to: END });
  }

  /** Pauses the run before these nodes too, on every visit; `"*"` means all nodes. */
  interruptBefore(...ids: readonly ['*'] | readonly Id[]): this {
    return this.#set({ interruptBefore: [...(this.#others.interruptBefore ?? []), ...ids] });
  }

  /** Pauses the run after these nodes too, on every visit; `"*"` means all nodes. */
  interruptAfter(...ids: readonly ['*'] | readonly Id[]): this {
    return this.#set({ interruptAfter: [...(this.#others.interruptAfter ?? []), ...ids] });
  }

  /** Names the channels that a run may be started with. Without a call: all of them. */
  input(...channels: readonly ChannelName<C>[]): this {
    return this.#set({ input: channels });
  }

  /** Names the channels that a run returns. Without a call: all of them. */
  output(...channels: readonly ChannelName<C>[]): this {
    return this.#set({ output: channels });
  }

  /** Bounds the run; limits that are not named stay as they are. */
  limits(limits: Limits): this {
    return this.#set({ limits: { ...this.#others.limits, ...limits } });
  }

  /** Says what nodes go by that say nothing else; defaults that are not named stay as they are. */
  defaults(defaults: Defaults): this {
    return this.#set({ defaults: { ...this.#others.defaults, ...defaults } });
  }

  /** Every issue of the graph as it stands, warnings included. Names are checked as by `compile`. */
  issues({ catalog }: CompileOptions = {}): readonly GraphIssue[] {
    return findIssues(this.toJSON(), catalog);
  }

  /**
   * Gives the definition. Without a catalog, names of tools, models, functions, graphs and node types are not checked:
   * only an installation knows them.
   * @throws InvalidGraphError with all issues, when one of them is an error
   */
  compile(options: CompileOptions = {}): GraphDefinition {
    const issues = this.issues(options);
    if (hasErrors(issues)) throw new InvalidGraphError(this.#others.name, issues);
    return this.toJSON();
  }

  /** The definition as it stands, unchecked. */
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

  /** The graph as it stands, as a Mermaid diagram. */
  toMermaid(): string {
    return toMermaid(this.toJSON());
  }

  /** The graph as it stands, as a PlantUML diagram. */
  toPlantUml(): string {
    return toPlantUml(this.toJSON());
  }

  /** The nodes that a node, or `START`, may lead to: by any edge, by `onError` and by `mayGoto`; in node-id order. */
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
