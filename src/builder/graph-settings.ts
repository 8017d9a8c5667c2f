import type { Catalog, Defaults, GraphDefinition, Limits } from '../graph/definition/index.ts';
import type { ChannelName } from './channel-update.ts';

/** Settings of a new graph. Channels, input, output, limits and defaults may also be added later. */
export interface GraphSettings<C> {
  /** The address of the JSON Schema, for editors. */
  readonly $schema?: string;
  /** The name under which the graph is published: lower-case letters, digits and `-`. */
  readonly name: string;
  /** A text for people. */
  readonly description?: string;
  /** The state of a run: its channels, by name. */
  readonly channels?: C;
  /** The channels that may be set at the start of a run; all of them by default. */
  readonly input?: readonly ChannelName<C>[];
  /** The input channels that every new run must be given, whatever their defaults. */
  readonly required?: readonly ChannelName<C>[];
  /** The channels that are its runs' output; all of them by default. */
  readonly output?: readonly ChannelName<C>[];
  /** The limits and budgets of a run. */
  readonly limits?: Limits;
  /** Values for fields that its nodes do not set. */
  readonly defaults?: Defaults;
  /** The node that runs last when a run is canceled. Neither it nor a node inside it may wait. */
  readonly onCancel?: string;
  /** The node that runs last when a run fails, after its compensation. Neither it nor a node inside it may wait. */
  readonly onFail?: GraphDefinition['onFail'];
}

/** The fields of a definition besides its channels, nodes and edges. */
export type OtherFields = Omit<GraphDefinition, 'channels' | 'nodes' | 'edges'>;

/** Options that describe the installation for which a graph is compiled. */
export interface CompileOptions {
  /** Its catalog; with it, the names of tools, models, functions, graphs and node types are checked. */
  readonly catalog?: Catalog | undefined;
  /** The node types that its code registers. Without a catalog, a name that resembles a built-in one has to be among them. */
  readonly nodeTypes?: readonly string[] | undefined;
}
