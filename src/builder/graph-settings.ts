import type { Catalog, Defaults, GraphDefinition, Limits } from '../graph/definition/index.ts';
import type { ChannelName } from './channel-update.ts';

/** Settings of a new graph. Channels, input, output, limits and defaults may also be added later. */
export interface GraphSettings<C> {
  readonly $schema?: string;
  readonly name: string;
  readonly description?: string;
  readonly channels?: C;
  readonly input?: readonly ChannelName<C>[];
  readonly required?: readonly ChannelName<C>[];
  readonly output?: readonly ChannelName<C>[];
  readonly limits?: Limits;
  readonly defaults?: Defaults;
  /** The node that runs last when a run is canceled. */
  readonly onCancel?: string;
}

/** The fields of a definition besides its channels, nodes and edges. */
export type OtherFields = Omit<GraphDefinition, 'channels' | 'nodes' | 'edges'>;

export interface CompileOptions {
  /** An installation's catalog; with it, the names of tools, models, functions, graphs and node types are checked. */
  readonly catalog?: Catalog | undefined;
}
